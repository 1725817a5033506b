package icemelt.spark;

import icemelt.spark.MergeJoin.KeyEquality;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.LeftSemi$;
import org.apache.spark.sql.catalyst.plans.logical.BROADCAST$;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.HintInfo;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.JoinHint;
import org.apache.spark.sql.catalyst.plans.logical.Limit;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.CommandExecutionMode;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.columnar.InMemoryRelation;
import org.apache.spark.sql.types.DataTypes;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * MERGE that finds its rows by the keys of a small source.
 *
 * <p>Spark joins the whole target with the source. Here the source is computed once and kept, and
 * only those rows of the target have a part in Spark's join that have a key of the source:
 *
 * <pre>
 *   Join (target, source)   becomes   Join (LeftSemi (Filter (target), keys), source)
 * </pre>
 *
 * <p>The filter is the least and the greatest key, by which files and parts of files are left out;
 * the keys are broadcast, so that no other row of the target is shuffled. A row that is left out
 * matches no source row. All the rest is Spark's: which clause takes a row, the error of two source
 * rows for one target row, and what is written.
 */
public final class MergeByKeys {
  private static final String JOIN = "JOIN", KEPT = "KEPT", KEYS = "KEYS";

  // so many rows are in the plan, in this process, in place of a relation
  private static final int MOST_COLLECTED = 20_000;

  private record Limits(long mostRows, boolean isLarge) {}

  private MergeByKeys() {}

  /**
   * Runs a statement; one whose rows are not found by keys runs as it is.
   *
   * @param mostBytes the most bytes of a source, as Spark estimates it, that is kept
   * @param mostRows how many rows a source may have whose keys are broadcast
   * @param isLarge whether the target is so large that it is worth to leave out a part of its files
   * @return KEYS if the keys were broadcast, KEPT if the source had too many rows, JOIN otherwise
   */
  public static String run(
      SparkSession session, String statement, long mostBytes, long mostRows, boolean isLarge)
      throws ParseException {
    LogicalPlan write = analyse(session, statement).analyzed();
    MergeJoin merge = MergeJoin.find(write);
    Dataset<Row> source = merge == null ? null : usedColumns(session, merge);
    if (source == null || isLarger(source, mostBytes)) {
      Dataset.ofRows(session, write);
      return JOIN;
    }
    Dataset<Row> kept = Frames.keep(source, 1);
    try {
      InMemoryRelation rows = (InMemoryRelation) kept.queryExecution().analyzed();
      InMemoryRelation named = rows.withOutput(source.logicalPlan().output());
      return runKept(session, write, merge, named, new Limits(mostRows, isLarge));
    } finally {
      Frames.drop(kept);
    }
  }

  /**
   * Returns what {@link #run} would find, and runs nothing: in the first line the equalities of the
   * keys, empty where there are none, and then Spark's own plan of the statement.
   */
  public static String explain(SparkSession session, String statement) throws ParseException {
    QueryExecution query = analyse(session, statement);
    MergeJoin merge = MergeJoin.find(query.analyzed());
    StringJoiner keys = new StringJoiner(" AND ");
    if (merge != null) {
      merge.keys().forEach(key -> keys.add(key.ofTarget().sql() + " = " + key.ofSource().sql()));
    }
    return keys + "\n" + query.simpleString();
  }

  private static QueryExecution analyse(SparkSession session, String statement)
      throws ParseException {
    LogicalPlan parsed = session.sessionState().sqlParser().parsePlan(statement);
    return session.sessionState().executePlan(parsed, CommandExecutionMode.SKIP());
  }

  /** Whether Spark expects more bytes of a source; it asks no file. */
  private static boolean isLarger(Dataset<Row> source, long mostBytes) {
    BigInteger expected = source.queryExecution().optimizedPlan().stats().sizeInBytes().bigInteger();
    return expected.compareTo(BigInteger.valueOf(mostBytes)) > 0;
  }

  /** Returns the rows of the source in the columns that the statement reads. */
  private static Dataset<Row> usedColumns(SparkSession session, MergeJoin merge) {
    var used = AttributeSet$.MODULE$.apply(seq(merge.used()));
    List<NamedExpression> columns = new ArrayList<>();
    for (Attribute column : CollectionConverters.asJava(merge.source().output())) {
      if (used.contains(column)) {
        columns.add(column);
      }
    }
    return Dataset.ofRows(session, new Project(seq(columns), merge.source()));
  }

  private static String runKept(
      SparkSession session,
      LogicalPlan write,
      MergeJoin merge,
      InMemoryRelation kept,
      Limits limits) {
    List<NamedExpression> columns = new ArrayList<>();
    for (KeyEquality key : merge.keys()) {
      columns.add(named(key.ofSource(), "k" + columns.size()));
    }
    InternalRow[] rows = take(session, kept, MOST_COLLECTED + 1);
    LogicalPlan source = kept;
    KeyEnds ends;
    if (rows.length > MOST_COLLECTED) {
      ends = KeyEnds.ask(session, merge, new Project(seq(columns), kept));
    } else {
      // no job reads them again
      source = new LocalRelation(kept.output(), seq(List.of(rows)), false, Option.empty());
      ends = KeyEnds.of(merge, rows, kept.output());
    }
    boolean isSmall = ends.rows() <= limits.mostRows();
    LogicalPlan target = merge.target();
    if (isSmall) {
      LogicalPlan keys = new Project(seq(columns), source);
      target = foundByKeys(merge, keys, columns, ends.conditions(merge, limits.isLarge()));
    }
    LogicalPlan changed = write.transformDown(new Replacement(merge.source(), source));
    Dataset.ofRows(session, changed.transformDown(new Replacement(merge.target(), target)));
    return isSmall ? KEYS : KEPT;
  }

  private static InternalRow[] take(SparkSession session, LogicalPlan relation, int most) {
    LogicalPlan limited = (LogicalPlan) (Object) Limit.apply(new Literal(most, DataTypes.IntegerType), relation);
    return Dataset.ofRows(session, limited).queryExecution().executedPlan().executeCollect();
  }

  private static LogicalPlan foundByKeys(
      MergeJoin merge, LogicalPlan keys, List<NamedExpression> columns, List<Expression> range) {
    LogicalPlan target = merge.target();
    if (!range.isEmpty()) {
      target = new Filter(and(range), target);
    }
    List<Expression> equalities = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      equalities.add(merge.keys().get(i).with(columns.get(i).toAttribute()));
    }
    JoinHint hint =
        new JoinHint(Option.empty(), Option.apply(new HintInfo(Option.apply(BROADCAST$.MODULE$))));
    return new Join(target, keys, LeftSemi$.MODULE$, Option.apply(and(equalities)), hint);
  }

  private static Expression and(List<Expression> conditions) {
    return conditions.stream().reduce(And::new).orElseThrow();
  }

  private static NamedExpression named(Expression expression, String name) {
    return new Alias(
        expression,
        name,
        NamedExpression.newExprId(),
        seq(List.<String>of()),
        Option.empty(),
        seq(List.<String>of()));
  }

  private static <T> Seq<T> seq(List<? extends T> values) {
    return CollectionConverters.<T>asScala((List<T>) values).toSeq();
  }

  /** Puts a plan in the place of another one, wherever that stands. */
  private static final class Replacement
      extends scala.runtime.AbstractPartialFunction<LogicalPlan, LogicalPlan> {
    private final LogicalPlan old;
    private final LogicalPlan replacement;
    private boolean isDone;

    Replacement(LogicalPlan old, LogicalPlan replacement) {
      this.old = old;
      this.replacement = replacement;
    }

    @Override
    public boolean isDefinedAt(LogicalPlan plan) {
      return plan == old && !isDone;
    }

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
      isDone = true;
      return replacement;
    }
  }
}
