package icemelt.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.Inner$;
import org.apache.spark.sql.catalyst.plans.JoinType;
import org.apache.spark.sql.catalyst.plans.LeftAnti$;
import org.apache.spark.sql.catalyst.plans.RightOuter$;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand;
import org.apache.spark.sql.catalyst.plans.logical.WriteDelta;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The join of an analysed MERGE in which a row of the target without a key of the source is lost.
 *
 * @param join the join: of the target and the source, or, where the statement only inserts, of the
 *     source and the target
 * @param target the relation of the target's rows, in the join
 * @param source the source, a side of the join
 * @param keys the equalities of the condition that tell the keys
 * @param used the columns that the condition and the clauses read
 */
record MergeJoin(
    Join join,
    DataSourceV2Relation target,
    LogicalPlan source,
    List<KeyEquality> keys,
    List<Attribute> used) {

  /**
   * A part of the condition: an expression of the target equals one of the source.
   *
   * @param matchesNulls whether two NULLs are equal
   */
  record KeyEquality(Expression ofTarget, Expression ofSource, boolean matchesNulls) {
    Expression with(Expression key) {
      return matchesNulls ? new EqualNullSafe(ofTarget, key) : new EqualTo(ofTarget, key);
    }
  }

  /** Returns the join of an analysed MERGE, null for other statements and where rows do not go. */
  static MergeJoin find(LogicalPlan write) {
    if (!(write instanceof V2WriteCommand command)) {
      return null;
    }
    List<Attribute> used = new ArrayList<>();
    LogicalPlan plan = command.query();
    while (!(plan instanceof Join)) {
      if (plan.children().size() != 1) {
        return null;
      }
      used.addAll(attributes(plan.references()));
      plan = plan.children().head();
    }
    Join join = (Join) plan;
    boolean onlyInserts = join.joinType() == LeftAnti$.MODULE$ && !(write instanceof WriteDelta);
    if (!onlyInserts && !(write instanceof WriteDelta && losesTarget(join.joinType()))) {
      return null;
    }
    LogicalPlan target = onlyInserts ? join.right() : join.left();
    LogicalPlan source = onlyInserts ? join.left() : join.right();
    DataSourceV2Relation relation = relation(target);
    if (relation == null) {
      return null;
    }
    List<KeyEquality> keys = new ArrayList<>();
    join.condition().foreach(condition -> addKeys(condition, relation, source, keys));
    if (keys.isEmpty()) {
      return null;
    }
    used.addAll(attributes(join.references()));
    return new MergeJoin(join, relation, source, keys, used);
  }

  private static boolean losesTarget(JoinType type) {
    return type == Inner$.MODULE$ || type == RightOuter$.MODULE$;
  }

  /** Returns the relation below projections and filters. */
  private static DataSourceV2Relation relation(LogicalPlan target) {
    LogicalPlan plan = target;
    while (!(plan instanceof DataSourceV2Relation)) {
      if (plan.children().size() != 1) {
        return null;
      }
      plan = plan.children().head();
    }
    return (DataSourceV2Relation) plan;
  }

  private static Object addKeys(
      Expression condition, LogicalPlan target, LogicalPlan source, List<KeyEquality> found) {
    if (condition instanceof And both) {
      addKeys(both.left(), target, source, found);
      addKeys(both.right(), target, source, found);
    } else if (condition instanceof EqualTo equal) {
      addKey(equal.left(), equal.right(), target, source, false, found);
      addKey(equal.right(), equal.left(), target, source, false, found);
    } else if (condition instanceof EqualNullSafe equal) {
      addKey(equal.left(), equal.right(), target, source, true, found);
      addKey(equal.right(), equal.left(), target, source, true, found);
    }
    return null;
  }

  private static void addKey(
      Expression ofTarget,
      Expression ofSource,
      LogicalPlan target,
      LogicalPlan source,
      boolean matchesNulls,
      List<KeyEquality> found) {
    if (isOf(ofTarget, target) && isOf(ofSource, source)) {
      found.add(new KeyEquality(ofTarget, ofSource, matchesNulls));
    }
  }

  /** Whether an expression reads columns of a side, and no others. */
  private static boolean isOf(Expression expression, LogicalPlan side) {
    AttributeSet read = expression.references();
    return !read.isEmpty() && expression.deterministic() && read.subsetOf(side.outputSet());
  }

  private static List<Attribute> attributes(AttributeSet set) {
    return CollectionConverters.asJava(set.toSeq());
  }
}
