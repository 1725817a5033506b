package icemelt.spark;

import java.util.Objects;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.execution.SparkPlan;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;

/**
 * A plan whose rows are kept, as a node without children. Spark writes a plan as text with all that
 * is kept below, for each of its readers: kept rows of kept rows would be written a million times.
 */
public final class KeptPlan extends SparkPlan {
  private static final long serialVersionUID = 1L;

  private final transient SparkPlan plan;
  private final int number;

  /** Creates a node for a plan that is ready to run, with a number that names its rows. */
  public KeptPlan(SparkPlan plan, int number) {
    this.plan = plan;
    this.number = number;
  }

  @Override
  public RDD<InternalRow> doExecute() {
    return plan.execute();
  }

  @Override
  public Seq<Attribute> output() {
    return plan.output();
  }

  @Override
  public Partitioning outputPartitioning() {
    return plan.outputPartitioning();
  }

  @Override
  public Seq<SortOrder> outputOrdering() {
    return plan.outputOrdering();
  }

  @Override
  @SuppressWarnings("unchecked")
  public Seq<SparkPlan> children() {
    return (Seq<SparkPlan>) (Object) Nil$.MODULE$;
  }

  @Override
  public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> children) {
    return this;
  }

  @Override
  public String simpleStringWithNodeId() {
    return nodeName();
  }

  @Override
  public String verboseString(int fields) {
    return nodeName();
  }

  @Override
  public String nodeName() {
    return "Kept rows " + number;
  }

  @Override
  public Object productElement(int index) {
    throw new IndexOutOfBoundsException(index);
  }

  @Override
  public int productArity() {
    return 0;
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof KeptPlan;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeptPlan && ((KeptPlan) other).plan == plan;
  }

  @Override
  public int hashCode() {
    return Objects.hashCode(plan);
  }
}
