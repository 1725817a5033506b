package icemelt.spark;

import org.apache.spark.sql.catalyst.util.ArrayData;

/** Arrays of any type. */
public final class ArrayValues {
  private ArrayValues() {}

  /** Returns whether an array has a NULL. */
  public static boolean hasNull(ArrayData array) {
    int count = array.numElements();
    for (int position = 0; position < count; position++) {
      if (array.isNullAt(position)) {
        return true;
      }
    }
    return false;
  }
}
