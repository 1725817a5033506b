package icemelt.spark;

import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.types.variant.Variant;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.unsafe.types.VariantVal;

/**
 * A row of FLATTEN. Its columns are made when they are read: the paths and values of all rows of a
 * deep input take many times the memory of the input.
 */
final class FlattenedRow extends GenericInternalRow {
  private static final long serialVersionUID = 1;
  private static final int COLUMNS = 6;
  private static final Pattern WORD = Pattern.compile("[A-Za-z_][A-Za-z0-9_$]*");

  /** The element; null for an input without elements. */
  final Variant value;

  private final long number;
  private final FlattenedRow parent;
  private final String key;
  private final int index;
  private VariantVal bytes;

  private FlattenedRow(long number, FlattenedRow parent, String key, int index, Variant value) {
    super((Object[]) null);
    this.number = number;
    this.parent = parent;
    this.key = key;
    this.index = index;
    this.value = value;
  }

  /** Returns an input as the parent of its elements; its key is the path that leads to it. */
  static FlattenedRow root(long number, String path, Variant value) {
    return new FlattenedRow(number, null, path, -1, value);
  }

  /** Returns the row of an input without elements; THIS is the input where it could have some. */
  static FlattenedRow ofNoElement(
      long number, String path, FlattenedRow input, boolean couldHaveSome) {
    FlattenedRow parent = couldHaveSome ? input : root(number, path, null);
    return new FlattenedRow(number, parent, null, -1, null);
  }

  FlattenedRow field(int at) {
    Variant.ObjectField field = value.getFieldAtIndex(at);
    return new FlattenedRow(number, this, field.key, -1, field.value);
  }

  FlattenedRow element(int at) {
    return new FlattenedRow(number, this, null, at, value.getElementAtIndex(at));
  }

  @Override
  public int numFields() {
    return COLUMNS;
  }

  @Override
  public Object genericGet(int ordinal) {
    return switch (ordinal) {
      case 0 -> number;
      case 1 -> key == null ? null : UTF8String.fromString(key);
      case 2 -> UTF8String.fromString(path());
      case 3 -> index < 0 ? null : (long) index;
      case 4 -> bytes();
      default -> parent.bytes();
    };
  }

  /** Spark may keep the rows of a constant in a plan, which is sent to tasks. */
  private Object writeReplace() {
    Object[] columns = new Object[COLUMNS];
    for (int at = 0; at < COLUMNS; at++) {
      columns[at] = genericGet(at);
    }
    return new GenericInternalRow(columns);
  }

  private VariantVal bytes() {
    if (bytes == null && value != null) {
      bytes = new VariantVal(value.getValue(), value.getMetadata());
    }
    return bytes;
  }

  private String path() {
    StringBuilder path = new StringBuilder();
    writePath(path);
    return path.toString();
  }

  private void writePath(StringBuilder path) {
    if (parent == null) {
      path.append(key);
      return;
    }
    parent.writePath(path);
    if (index >= 0) {
      path.append('[').append(index).append(']');
    } else if (key != null && WORD.matcher(key).matches()) {
      path.append(path.isEmpty() ? "" : ".").append(key);
    } else if (key != null) {
      String written = key.replace("\\", "\\\\").replace("'", "\\'");
      path.append("['").append(written).append("']");
    }
  }
}
