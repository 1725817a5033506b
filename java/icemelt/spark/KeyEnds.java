package icemelt.spark;

import icemelt.spark.KeyedTarget.KeyEquality;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GreaterThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.InterpretedProjection;
import org.apache.spark.sql.catalyst.expressions.LessThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.util.TypeUtils;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.IntegralType;
import org.apache.spark.sql.types.StringType$;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The least and the greatest of each key of a source, as Spark has them in rows.
 *
 * @param rows how many rows the source has
 * @param least by the number of the key, null where a key has no value or no order
 * @param greatest as {@code least}
 */
record KeyEnds(long rows, Object[] least, Object[] greatest) {
  // keys so far apart, on average, are in most files of a table that is in their order
  private static final long MOST_APART = 64;

  /** Returns the ends of the keys of a source whose rows are in this process. */
  static KeyEnds of(KeyedTarget keyed, LocalRelation source) {
    KeyEnds ends = none(keyed, source.data().size());
    for (int i = 0; i < ends.least.length; i++) {
      KeyEquality key = keyed.keys().get(i);
      if (hasOrder(key)) {
        ends.find(i, key.ofSource(), source);
      }
    }
    return ends;
  }

  private static KeyEnds none(KeyedTarget keyed, long rows) {
    int count = keyed.keys().size();
    return new KeyEnds(rows, new Object[count], new Object[count]);
  }

  private void find(int i, Expression key, LocalRelation source) {
    DataType type = key.dataType();
    var order = TypeUtils.getInterpretedOrdering(type);
    var projection =
        new InterpretedProjection(
            CollectionConverters.asScala(List.of(key)).toSeq(), source.output());
    for (InternalRow row : CollectionConverters.asJava(source.data())) {
      Object value = projection.apply(row).get(0, type);
      if (value != null) {
        least[i] = least[i] == null || order.lt(value, least[i]) ? value : least[i];
        greatest[i] = greatest[i] == null || order.gt(value, greatest[i]) ? value : greatest[i];
      }
    }
  }

  /** Returns the ends of a relation of the keys, whose columns are k0, k1, …, by a job. */
  static KeyEnds ask(SparkSession session, KeyedTarget keyed, LogicalPlan keys, long rows) {
    List<String> asked = new ArrayList<>();
    for (int i = 0; i < keyed.keys().size(); i++) {
      boolean hasOrder = hasOrder(keyed.keys().get(i));
      asked.add(hasOrder ? "min(k" + i + ")" : "NULL");
      asked.add(hasOrder ? "max(k" + i + ")" : "NULL");
    }
    Dataset<Row> query = Dataset.ofRows(session, keys).selectExpr(asked.toArray(String[]::new));
    InternalRow row = query.queryExecution().executedPlan().executeCollect()[0];
    KeyEnds ends = none(keyed, rows);
    for (int i = 0; i < ends.least.length; i++) {
      DataType type = keyed.keys().get(i).ofSource().dataType();
      ends.least[i] = row.get(2 * i, type);
      ends.greatest[i] = row.get(2 * i + 1, type);
    }
    return ends;
  }

  /**
   * Returns the conditions that a row of the target meets that has a key of the source, where they
   * may leave out files.
   *
   * @param isLarge whether the target is so large that any file left out is worth a filter, which
   *     Spark compiles anew for each statement
   */
  List<Expression> conditions(KeyedTarget keyed, boolean isLarge) {
    List<Expression> found = new ArrayList<>();
    for (int i = 0; i < least.length; i++) {
      KeyEquality key = keyed.keys().get(i);
      DataType type = key.ofSource().dataType();
      if (hasOrder(key) && (isLarge || rows == 0 || areTogether(type, i))) {
        found.add(new GreaterThanOrEqual(key.ofTarget(), new Literal(least[i], type)));
        found.add(new LessThanOrEqual(key.ofTarget(), new Literal(greatest[i], type)));
      }
    }
    return found;
  }

  private boolean areTogether(DataType type, int i) {
    if (least[i] == null) {
      return true;
    }
    if (type instanceof IntegralType) {
      double apart = ((Number) greatest[i]).doubleValue() - ((Number) least[i]).doubleValue();
      return apart <= (double) MOST_APART * rows;
    }
    return type instanceof DateType || least[i].equals(greatest[i]);
  }

  /** Whether the values of a key are ordered alike by Spark and by the bounds of files. */
  private static boolean hasOrder(KeyEquality key) {
    DataType type = key.ofSource().dataType();
    return !key.matchesNulls()
        && (type instanceof IntegralType
            || type instanceof DecimalType
            || type instanceof DateType
            || type instanceof TimestampType
            || type instanceof TimestampNTZType
            || type.equals(StringType$.MODULE$));
  }
}
