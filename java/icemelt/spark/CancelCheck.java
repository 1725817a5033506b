package icemelt.spark;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeBlock;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.catalyst.expressions.codegen.FalseLiteral$;
import org.apache.spark.sql.catalyst.expressions.codegen.JavaCode;
import org.apache.spark.sql.catalyst.expressions.codegen.JavaCode$;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.Function1;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A predicate that holds for each row, and ends a task that was cancelled: every {@link #ROWS} rows
 * it looks. {@link CancellableLoops} puts it into loops in which nothing else looks.
 *
 * <p>All instances are equal, so that Spark finds the parts of a plan that it can use again.
 */
public final class CancelCheck extends Expression implements Serializable {
  private static final long serialVersionUID = 1;

  /** A power of two; a row may take a while, as where its condition compares long texts. */
  static final int ROWS = 64;

  private transient int rows;

  /** End where the task was cancelled. Generated code calls it. */
  public static void look() {
    WatchedText.refuseCancelled();
  }

  @Override
  public Object eval(InternalRow row) {
    if ((++rows & ROWS - 1) == 0) {
      look();
    }
    return true;
  }

  @Override
  public ExprCode doGenCode(CodegenContext context, ExprCode code) {
    String rows = context.addMutableState("int", "rowsUntilLook", name -> "", true, true);
    String look =
        "if ((++%s & %d) == 0) { %s.look(); }"
            .formatted(rows, ROWS - 1, CancelCheck.class.getName());
    return code.copy(
        new CodeBlock(sequence(look), sequence()),
        FalseLiteral$.MODULE$,
        JavaCode$.MODULE$.literal("true", DataTypes.BooleanType));
  }

  @Override
  public DataType dataType() {
    return DataTypes.BooleanType;
  }

  @Override
  public boolean nullable() {
    return false;
  }

  /** Returns false: what looks may not be left out, or done once for several. */
  @Override
  public boolean deterministic() {
    return false;
  }

  @Override
  public String toString() {
    return "not_cancelled()";
  }

  @Override
  public Seq<Expression> children() {
    return sequence();
  }

  @Override
  public Expression mapChildren(Function1<Expression, Expression> change) {
    return this;
  }

  @Override
  public Expression withNewChildrenInternal(IndexedSeq<Expression> children) {
    return this;
  }

  @Override
  public int productArity() {
    return 0;
  }

  @Override
  public Object productElement(int index) {
    throw new IndexOutOfBoundsException(index);
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof CancelCheck;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CancelCheck;
  }

  @Override
  public int hashCode() {
    return CancelCheck.class.hashCode();
  }

  @SafeVarargs
  private static <T> Seq<T> sequence(T... items) {
    return CollectionConverters.asScala(java.util.List.of(items)).toSeq();
  }
}
