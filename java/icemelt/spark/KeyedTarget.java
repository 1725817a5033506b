package icemelt.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Exists;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.InSubquery;
import org.apache.spark.sql.catalyst.expressions.SubExprUtils$;
import org.apache.spark.sql.catalyst.plans.Inner$;
import org.apache.spark.sql.catalyst.plans.JoinType;
import org.apache.spark.sql.catalyst.plans.LeftAnti$;
import org.apache.spark.sql.catalyst.plans.RightOuter$;
import org.apache.spark.sql.catalyst.plans.logical.Distinct;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand;
import org.apache.spark.sql.catalyst.plans.logical.WriteDelta;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The table of an analysed UPDATE, DELETE or MERGE of which only rows with a key of a source matter.
 *
 * @param target the relation of the table's rows
 * @param source the rows that it is compared with, wherever the plan has them
 * @param keys the equalities of the condition that tell the keys
 * @param used the columns of the source that the statement reads, among others
 */
record KeyedTarget(
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

  /** Returns the table of an analysed statement, null where rows without a key matter. */
  static KeyedTarget find(LogicalPlan write) {
    if (!(write instanceof V2WriteCommand command)) {
      return null;
    }
    boolean changesRows = write instanceof WriteDelta;
    List<Attribute> used = new ArrayList<>();
    LogicalPlan plan = command.query();
    while (true) {
      used.addAll(attributes(plan.references()));
      if (plan instanceof Join join) {
        return ofJoin(join, changesRows, used);
      }
      if (plan instanceof Filter filter && filter.child() instanceof DataSourceV2Relation target) {
        return changesRows ? ofCondition(filter.condition(), target) : null;
      }
      if (plan.children().size() != 1) {
        return null;
      }
      plan = plan.children().head();
    }
  }

  /** Of a MERGE: of the target and the source, or, if it only inserts, the other way round. */
  private static KeyedTarget ofJoin(Join join, boolean changesRows, List<Attribute> used) {
    boolean onlyInserts = join.joinType() == LeftAnti$.MODULE$ && !changesRows;
    if (!onlyInserts && !(changesRows && losesTarget(join.joinType()))) {
      return null;
    }
    DataSourceV2Relation target = relation(onlyInserts ? join.right() : join.left());
    LogicalPlan source = onlyInserts ? join.left() : join.right();
    List<KeyEquality> keys = new ArrayList<>();
    if (target != null && join.condition().isDefined()) {
      addKeys(join.condition().get(), target, source, keys);
    }
    return keys.isEmpty() ? null : new KeyedTarget(target, source, keys, used);
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

  /** Of an UPDATE or DELETE: a row has to meet each part of the condition. */
  private static KeyedTarget ofCondition(Expression condition, DataSourceV2Relation target) {
    if (condition instanceof And both) {
      KeyedTarget found = ofCondition(both.left(), target);
      return found == null ? ofCondition(both.right(), target) : found;
    }
    if (condition instanceof Exists exists) {
      return ofExists(exists.plan(), target);
    }
    if (condition instanceof InSubquery in) {
      return ofIn(in, target);
    }
    return null;
  }

  /** Of `EXISTS (SELECT … FROM source WHERE source.k = target.k …)`. */
  private static KeyedTarget ofExists(LogicalPlan subquery, DataSourceV2Relation target) {
    List<Attribute> used = new ArrayList<>();
    List<Expression> conditions = new ArrayList<>();
    LogicalPlan plan = subquery;
    while (SubExprUtils$.MODULE$.hasOuterReferences(plan)) {
      used.addAll(attributes(plan.references()));
      if (plan instanceof Filter filter) {
        conditions.add(SubExprUtils$.MODULE$.stripOuterReference(filter.condition()));
      } else if (!keepsRows(plan)) {
        return null;
      }
      plan = plan.children().head();
    }
    List<KeyEquality> keys = new ArrayList<>();
    for (Expression condition : conditions) {
      addKeys(condition, target, plan, keys);
    }
    return keys.isEmpty() ? null : new KeyedTarget(target, plan, keys, used);
  }

  /** Whether a node has a row wherever its input has one. */
  private static boolean keepsRows(LogicalPlan plan) {
    return plan instanceof Project || plan instanceof SubqueryAlias || plan instanceof Distinct;
  }

  /** Of `(target.k, …) IN (SELECT k, … FROM source)`. */
  private static KeyedTarget ofIn(InSubquery in, DataSourceV2Relation target) {
    LogicalPlan source = in.query().plan();
    if (SubExprUtils$.MODULE$.hasOuterReferences(source)) {
      return null;
    }
    List<Expression> values = CollectionConverters.asJava(in.values());
    List<Attribute> columns = CollectionConverters.asJava(source.output());
    List<KeyEquality> keys = new ArrayList<>();
    for (int i = 0; i < values.size() && i < columns.size(); i++) {
      addKey(values.get(i), columns.get(i), target, source, false, keys);
    }
    return keys.isEmpty() ? null : new KeyedTarget(target, source, keys, columns);
  }

  private static void addKeys(
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

  /** Whether an expression reads columns of a relation, and no others. */
  private static boolean isOf(Expression expression, LogicalPlan relation) {
    AttributeSet read = expression.references();
    return !read.isEmpty() && expression.deterministic() && read.subsetOf(relation.outputSet());
  }

  private static List<Attribute> attributes(AttributeSet set) {
    return CollectionConverters.asJava(set.toSeq());
  }
}
