package icemelt.spark;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Set;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.errors.QueryExecutionErrors;
import org.apache.spark.types.variant.Variant;
import org.apache.spark.types.variant.VariantBuilder;
import org.apache.spark.types.variant.VariantBuilder.FieldEntry;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.unsafe.types.VariantVal;

/** Makes objects of keys and values. */
public final class VariantObjects {
  private VariantObjects() {}

  /**
   * Returns the object of some pairs, without those whose key is NULL.
   *
   * @param keys texts; those of pairs that are kept are different
   * @param values a variant for each key
   * @param keepsNull whether a pair with a NULL value is kept, as a null of JSON
   */
  public static VariantVal of(ArrayData keys, ArrayData values, boolean keepsNull) {
    VariantBuilder built = new VariantBuilder(false);
    int count = keys.numElements();
    ArrayList<FieldEntry> fields = new ArrayList<>(count);
    Set<String> names = new HashSet<>();
    for (int pair = 0; pair < count; pair++) {
      boolean hasValue = !values.isNullAt(pair);
      if (keys.isNullAt(pair) || !(hasValue || keepsNull)) {
        continue;
      }
      UTF8String key = keys.getUTF8String(pair);
      String name = key.toString();
      if (!names.add(name)) {
        throw QueryExecutionErrors.duplicateMapKeyFoundError(key);
      }
      fields.add(new FieldEntry(name, built.addKey(name), built.getWritePos()));
      if (hasValue) {
        VariantVal value = values.getVariant(pair);
        built.appendVariant(new Variant(value.getValue(), value.getMetadata()));
      } else {
        built.appendNull();
      }
    }
    built.finishWritingObject(0, fields);
    Variant made = built.result();
    return new VariantVal(made.getValue(), made.getMetadata());
  }
}
