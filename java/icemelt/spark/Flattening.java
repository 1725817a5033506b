package icemelt.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.types.variant.Variant;
import org.apache.spark.types.variant.VariantUtil.Type;
import org.apache.spark.unsafe.types.VariantVal;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The rows of FLATTEN: {@code icemelt_flatten(variant, path, mode, recursive, outer)}, all but the
 * variant literals. The result is an array of structs with the columns of FLATTEN, in the order of
 * the elements; with {@code recursive} the elements of an element follow it. With {@code outer} an
 * input without elements has a row.
 *
 * @param path the path of the variant, the begin of the elements' paths
 * @param mode {@code OBJECT}, {@code ARRAY} or {@code BOTH}
 * @param isRecursive whether elements have rows for their own elements
 * @param isOuter whether an input without elements has a row
 * @param numbers the numbers of inputs
 */
public record Flattening(
    String path, String mode, boolean isRecursive, boolean isOuter, InputNumbers numbers)
    implements Serializable {
  private static final StructType COLUMNS =
      new StructType()
          .add("seq", DataTypes.LongType, false)
          .add("key", DataTypes.StringType)
          .add("path", DataTypes.StringType)
          .add("index", DataTypes.LongType)
          .add("value", DataTypes.VariantType)
          .add("this", DataTypes.VariantType);

  /** Returns the call of the function. */
  static Expression call(Seq<Expression> arguments) {
    List<Expression> given = CollectionConverters.asJava(arguments);
    Object[] literals = new Object[given.size()];
    for (int at = 1; at < literals.length; at++) {
      literals[at] = given.get(at).eval(InternalRow.empty());
    }
    Flattening flattening =
        new Flattening(
            literals[1].toString(), literals[2].toString(), (boolean) literals[3],
            (boolean) literals[4], new InputNumbers());
    return new Invoke(
        Literal.fromObject(flattening), "rows", new ArrayType(COLUMNS, false),
        CollectionConverters.asScala(List.of(given.get(0))).toSeq(),
        CollectionConverters.asScala(List.<AbstractDataType>of(DataTypes.VariantType)).toSeq(),
        false, false, true);
  }

  /** Returns the rows of an input; null stands for an input that is NULL. */
  public ArrayData rows(VariantVal input) {
    long number = numbers.next(null);
    List<FlattenedRow> rows = new ArrayList<>();
    FlattenedRow root = null;
    if (input != null) {
      root = FlattenedRow.root(number, path, new Variant(input.getValue(), input.getMetadata()));
      addElements(root, rows, 0);
    }
    if (rows.isEmpty() && isOuter) {
      rows.add(FlattenedRow.ofNoElement(number, path, root, root != null && isOpened(root)));
    }
    return new GenericArrayData(rows.toArray());
  }

  private boolean isOpened(FlattenedRow row) {
    Type type = row.value.getType();
    return (type == Type.OBJECT && !mode.equals("ARRAY"))
        || (type == Type.ARRAY && !mode.equals("OBJECT"));
  }

  private void addElements(FlattenedRow parent, List<FlattenedRow> rows, int depth) {
    if (!isOpened(parent)) {
      return;
    }
    int inside = Nesting.deeper(depth);
    boolean isObject = parent.value.getType() == Type.OBJECT;
    int size = isObject ? parent.value.objectSize() : parent.value.arraySize();
    for (int at = 0; at < size; at++) {
      FlattenedRow row = isObject ? parent.field(at) : parent.element(at);
      rows.add(row);
      if (rows.size() % CancelCheck.ROWS == 0) {
        CancelCheck.look();
      }
      if (isRecursive) {
        addElements(row, rows, inside);
      }
    }
  }
}
