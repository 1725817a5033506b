package icemelt.spark;

import icemelt.spark.KeyedTarget.KeyEquality;
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
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.LeftSemi$;
import org.apache.spark.sql.catalyst.plans.logical.BROADCAST$;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.HintInfo;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.JoinHint;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.CommandExecutionMode;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.columnar.CachedRDDBuilder;
import org.apache.spark.sql.execution.columnar.InMemoryRelation;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * UPDATE, DELETE and MERGE that find their rows by the keys of a small source.
 *
 * <p>Spark joins the whole table with the source. Here the source is computed once and kept, and
 * only those rows of the table have a part in Spark's plan that have a key of the source:
 *
 * <pre>
 *   Join (table, source)   becomes   Join (LeftSemi (Filter (table), keys), source)
 * </pre>
 *
 * <p>The filter is the least and the greatest key, by which files and parts of files are left out;
 * the keys are broadcast, so that no other row of the table is shuffled. A row that is left out
 * matches no source row. All the rest is Spark's: which clause takes a row, the error of two source
 * rows for one row, and what is written.
 */
public final class RowsByKeys {
  // so many rows are in the plan, in this process, in place of a relation
  private static final long MOST_COLLECTED = 20_000, MOST_COLLECTED_BYTES = 8 << 20;
  // of so many bytes each process gets a hash table
  private static final long MOST_BROADCAST_BYTES = 64 << 20;

  private record Limits(long mostRows, boolean isLarge) {}

  private RowsByKeys() {}

  /**
   * Runs a statement; one whose rows are not found by keys runs as it is.
   *
   * @param mostBytes the most bytes of a source, as Spark estimates it, that is kept
   * @param mostRows how many rows a source may have whose keys are broadcast
   * @param isLarge whether the target is so large that it is worth to leave out a part of its files
   */
  public static void run(
      SparkSession session, String statement, long mostBytes, long mostRows, boolean isLarge)
      throws ParseException {
    try (ActiveSession active = new ActiveSession(session)) {
      runActive(session, statement, mostBytes, mostRows, isLarge);
    }
  }

  private static void runActive(
      SparkSession session, String statement, long mostBytes, long mostRows, boolean isLarge)
      throws ParseException {
    LogicalPlan write = analyse(session, statement).analyzed();
    KeyedTarget keyed = KeyedTarget.find(write);
    Dataset<Row> source = keyed == null ? null : usedColumns(session, keyed);
    if (source == null || isLarger(source, mostBytes)) {
      Dataset.ofRows(session, write);
      return;
    }
    Dataset<Row> kept = Frames.keep(source, 1);
    try {
      InMemoryRelation rows = (InMemoryRelation) kept.queryExecution().analyzed();
      InMemoryRelation named = rows.withOutput(source.logicalPlan().output());
      runKept(session, write, keyed, named, new Limits(mostRows, isLarge));
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
    KeyedTarget keyed = KeyedTarget.find(query.analyzed());
    StringJoiner keys = new StringJoiner(" AND ");
    if (keyed != null) {
      keyed.keys().forEach(key -> keys.add(key.ofTarget().sql() + " = " + key.ofSource().sql()));
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
  private static Dataset<Row> usedColumns(SparkSession session, KeyedTarget keyed) {
    var used = AttributeSet$.MODULE$.apply(seq(keyed.used()));
    List<NamedExpression> columns = new ArrayList<>();
    for (Attribute column : CollectionConverters.asJava(keyed.source().output())) {
      if (used.contains(column)) {
        columns.add(column);
      }
    }
    return Dataset.ofRows(session, new Project(seq(columns), keyed.source()));
  }

  private static void runKept(
      SparkSession session,
      LogicalPlan write,
      KeyedTarget keyed,
      InMemoryRelation kept,
      Limits limits) {
    CachedRDDBuilder rows = kept.cacheBuilder();
    // computes them, and counts them and their bytes
    rows.cachedColumnBuffers().count();
    long count = rows.rowCountStats().value();
    long bytes = rows.sizeInBytesStats().value();
    boolean isCollected = count <= MOST_COLLECTED && bytes <= MOST_COLLECTED_BYTES;
    boolean isBroadcast =
        count <= limits.mostRows()
            && bytes <= MOST_BROADCAST_BYTES
            && keyed.source().deterministic();
    LogicalPlan source = isCollected ? collect(session, kept) : kept;
    LogicalPlan changed =
        (LogicalPlan) write.transformDownWithSubqueries(new Replacement(keyed.source(), source));
    if (isCollected || isBroadcast) {
      LogicalPlan target = foundByKeys(session, keyed, source, count, limits);
      changed = changed.transformDown(new Replacement(keyed.target(), target));
    }
    Dataset.ofRows(session, changed);
  }

  /** Returns the rows as a relation of this process: no job reads them again. */
  private static LocalRelation collect(SparkSession session, InMemoryRelation kept) {
    InternalRow[] rows =
        Dataset.ofRows(session, kept).queryExecution().executedPlan().executeCollect();
    return new LocalRelation(kept.output(), seq(List.of(rows)), false, Option.empty());
  }

  private static LogicalPlan foundByKeys(
      SparkSession session,
      KeyedTarget keyed,
      LogicalPlan source,
      long count,
      Limits limits) {
    List<NamedExpression> columns = new ArrayList<>();
    List<Expression> equalities = new ArrayList<>();
    for (KeyEquality key : keyed.keys()) {
      NamedExpression column = named(key.ofSource(), "k" + columns.size());
      columns.add(column);
      equalities.add(key.with(column.toAttribute()));
    }
    LogicalPlan keys = new Project(seq(columns), source);
    KeyEnds ends =
        source instanceof LocalRelation local
            ? KeyEnds.of(keyed, local)
            : KeyEnds.ask(session, keyed, keys, count);
    List<Expression> range = ends.conditions(keyed, limits.isLarge());
    LogicalPlan target =
        range.isEmpty() ? keyed.target() : new Filter(and(range), keyed.target());
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
