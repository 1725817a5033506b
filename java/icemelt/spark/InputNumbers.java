package icemelt.spark;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.DataTypes;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The numbers of the inputs of a table function, its column SEQ: {@code icemelt_input_number(x)} is
 * another number each time that it is called.
 *
 * <p>Each task has its own copy, and numbers of its own. Spark takes the call for a function of its
 * argument alone, for in a lateral join it runs no other: so the call may stand only where it is
 * computed once for all rows of an input, in the argument of the function that makes them.
 */
public final class InputNumbers implements Serializable {
  private static final long serialVersionUID = 1;

  /** The bits for the inputs of one task, as of Spark's monotonically_increasing_id. */
  private static final int BITS = 33;

  private long last;

  /** Returns the call of the function. */
  static Expression call(Seq<Expression> arguments) {
    return new Invoke(
        Literal.fromObject(new InputNumbers()), "next", DataTypes.LongType, arguments,
        CollectionConverters.asScala(List.<AbstractDataType>of()).toSeq(), false, false, true);
  }

  /** Returns the next number; the input is any value. */
  public long next(Object input) {
    return ((long) TaskContext.getPartitionId() << BITS) + ++last;
  }
}
