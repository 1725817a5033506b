package icemelt.spark;

import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.JoinType;
import org.apache.spark.sql.catalyst.plans.LeftExistence$;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.ColumnarRule;
import org.apache.spark.sql.execution.ExpandExec;
import org.apache.spark.sql.execution.FilterExec;
import org.apache.spark.sql.execution.GenerateExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec;
import org.apache.spark.sql.execution.joins.BroadcastNestedLoopJoinExec;
import org.apache.spark.sql.execution.joins.CartesianProductExec;
import org.apache.spark.sql.execution.joins.ShuffledHashJoinExec;
import org.apache.spark.sql.execution.joins.SortMergeJoinExec;
import org.apache.spark.sql.execution.window.WindowExec;
import scala.Option;
import scala.runtime.AbstractPartialFunction;

/**
 * Lets loops hear a cancel that make many rows of one, or look at many for one (ADR 23). Spark
 * looks where a task takes a row from a scan or an exchange, and in no loop above that.
 *
 * <p>Spark applies it last, before it generates code: to each stage of an adaptive plan, after the
 * stages that are alike were found, and to other plans as a whole.
 */
public final class CancellableLoops extends ColumnarRule {
  private static final CancellableLoops INSTANCE = new CancellableLoops();

  private CancellableLoops() {}

  /** Have the sessions of an application use the rule whose states are not made yet. */
  static synchronized void addTo(SparkSession session) {
    boolean is = session.extensions().buildColumnarRules(session).contains(INSTANCE);
    if (!is) {
      session.extensions().injectColumnar(any -> INSTANCE);
    }
  }

  @Override
  public Rule<SparkPlan> preColumnarTransitions() {
    return new Checks();
  }

  private static final class Checks extends Rule<SparkPlan> {
    @Override
    public SparkPlan apply(SparkPlan plan) {
      return (SparkPlan) plan.transformUp(new AddCheck());
    }
  }

  private static final class AddCheck extends AbstractPartialFunction<SparkPlan, SparkPlan> {
    @Override
    public boolean isDefinedAt(SparkPlan plan) {
      return true;
    }

    @Override
    public SparkPlan apply(SparkPlan plan) {
      if (plan instanceof BroadcastNestedLoopJoinExec join && isLoop(join.joinType(), join.condition())) {
        return new BroadcastNestedLoopJoinExec(
            join.left(), join.right(), join.buildSide(), join.joinType(), check(join.condition()));
      }
      if (plan instanceof CartesianProductExec join) {
        return new CartesianProductExec(join.left(), join.right(), check(join.condition()));
      }
      if (plan instanceof BroadcastHashJoinExec join && isLoop(join.joinType(), join.condition())) {
        return new BroadcastHashJoinExec(
            join.leftKeys(), join.rightKeys(), join.joinType(), join.buildSide(),
            check(join.condition()), join.left(), join.right(), join.isNullAwareAntiJoin());
      }
      if (plan instanceof ShuffledHashJoinExec join && isLoop(join.joinType(), join.condition())) {
        return new ShuffledHashJoinExec(
            join.leftKeys(), join.rightKeys(), join.joinType(), join.buildSide(),
            check(join.condition()), join.left(), join.right(), join.isSkewJoin());
      }
      if (plan instanceof SortMergeJoinExec join && isLoop(join.joinType(), join.condition())) {
        return new SortMergeJoinExec(
            join.leftKeys(), join.rightKeys(), join.joinType(), check(join.condition()),
            join.left(), join.right(), join.isSkewJoin());
      }
      if (plan instanceof GenerateExec || plan instanceof ExpandExec || plan instanceof WindowExec) {
        return new FilterExec(new CancelCheck(), plan);
      }
      return plan;
    }
  }

  /** Returns whether a join goes on after the first row that it finds for another. */
  private static boolean isLoop(JoinType type, Option<Expression> condition) {
    return condition.isDefined() || LeftExistence$.MODULE$.unapply(type).isEmpty();
  }

  private static Option<Expression> check(Option<Expression> condition) {
    Expression check = new CancelCheck();
    return Option.apply(condition.isEmpty() ? check : new And(check, condition.get()));
  }
}
