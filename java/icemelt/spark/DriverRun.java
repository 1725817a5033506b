package icemelt.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.rdd.InputFileBlockHolder$;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.CreateArray;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.expressions.UserDefinedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Expand;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.HintInfo;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.JoinHint;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Repartition;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionByExpression;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionOperation;
import org.apache.spark.sql.catalyst.plans.logical.SHUFFLE_HASH$;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import org.apache.spark.sql.catalyst.plans.logical.WindowGroupLimit;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.execution.QueryExecution$;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.execution.exchange.BroadcastExchangeLike;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike;
import org.apache.spark.sql.internal.SQLConf;
import scala.Option;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Runs a small plan in the calling thread of the driver, as one task of an executor would: a job for a
 * few rows takes longer than to read them (ADR 32).
 *
 * <p>The plan is Spark's own for one partition, so nothing is exchanged between tasks. All that is read
 * is small, and so are the rows; what is large, or needs more than this thread, is left to a job.
 */
public final class DriverRun {
  /** What is read at most: rows, and bytes as Spark has them in memory. */
  private static final long MOST_ROWS = 20_000;

  private static final long MOST_BYTES = 8 << 20;

  private static final Set<Class<?>> NODES =
      Set.of(
          Aggregate.class,
          DataSourceV2ScanRelation.class,
          Expand.class,
          Filter.class,
          Generate.class,
          GlobalLimit.class,
          Join.class,
          LocalLimit.class,
          LocalRelation.class,
          OneRowRelation.class,
          Project.class,
          Repartition.class,
          RepartitionByExpression.class,
          Sort.class,
          Union.class,
          Window.class,
          WindowGroupLimit.class);

  /**
   * To compile code for a whole plan takes longer than its few rows; and what Spark expects to be
   * large stays in its one partition.
   */
  private static final Map<String, String> SETTINGS =
      Map.of(
          "spark.sql.codegen.wholeStage", "false",
          "spark.sql.maxSinglePartitionBytes", "1024p");

  private static final Option<HintInfo> HASHED =
      Option.apply(new HintInfo(Option.apply(SHUFFLE_HASH$.MODULE$)));

  /** Ids of tasks that nothing else has: a scheduler counts up from 0, a driver itself is -1,024. */
  private static final AtomicLong TASKS = new AtomicLong(-1_000_000);

  private static final Set<Running> RUNNING = ConcurrentHashMap.newKeySet();
  private static final String GROUP = "spark.jobGroup.id";

  /** The setting of a session with which everything is left to jobs: `false`. */
  private static final String ALLOWED = "spark.icemelt.driverRuns";

  private DriverRun() {}

  /** A task that runs, and the job group of its statement. */
  private record Running(TaskContextImpl task, String group) {}

  /** Returns the rows of a query, null where it needs a job, is large, or gives more than so many. */
  static List<InternalRow> rows(Dataset<?> query, int most) {
    LogicalPlan plan = query.queryExecution().optimizedPlan();
    SparkSession session = query.sparkSession();
    SQLConf conf = session.sessionState().conf();
    if (conf.getConfString(ALLOWED, "true").equals("false") || !isSmall(plan)) {
      return null;
    }
    SQLConf changed = conf.clone();
    SETTINGS.forEach(changed::setConfString);
    try (ActiveSession active = new ActiveSession(session)) {
      return SQLConf.withExistingConf(changed, () -> run(session, plan, most));
    }
  }

  /** Ends the tasks of a job group that run here, as Spark ends those of executors. */
  public static void cancel(String group) {
    for (Running running : RUNNING) {
      if (group.equals(running.group)) {
        running.task.markInterrupted("cancelled");
      }
    }
  }

  private static boolean isSmall(LogicalPlan plan) {
    long[] rowsAndBytes = new long[2];
    return isSmall(plan, rowsAndBytes);
  }

  private static boolean isSmall(LogicalPlan plan, long[] read) {
    if (!NODES.contains(plan.getClass()) || !needsNoOther(plan)) {
      return false;
    }
    if (plan instanceof Generate generate && !givesFew(generate)) {
      return false;
    }
    if (plan instanceof DataSourceV2ScanRelation relation) {
      if (!(relation.scan() instanceof SupportsReportStatistics told)) {
        return false;
      }
      Statistics statistics = told.estimateStatistics();
      read[0] += statistics.numRows().orElse(MOST_ROWS + 1);
      read[1] += statistics.sizeInBytes().orElse(MOST_BYTES + 1);
    }
    return read[0] <= MOST_ROWS
        && read[1] <= MOST_BYTES
        && CollectionConverters.asJava(plan.children()).stream()
            .allMatch(child -> isSmall(child, read));
  }

  /** Tells whether the rows that are made of a row are listed, or are the elements of a column. */
  private static boolean givesFew(Generate generate) {
    return CollectionConverters.asJava(((Expression) generate.generator()).children()).stream()
        .allMatch(part -> part instanceof CreateArray || part instanceof Attribute);
  }

  /** Tells whether the values of a node need no other query, and no process of Python's. */
  private static boolean needsNoOther(LogicalPlan plan) {
    return CollectionConverters.asJava(plan.expressions()).stream()
        .noneMatch(
            value ->
                value.exists(
                    part ->
                        part instanceof PlanExpression || part instanceof UserDefinedExpression));
  }

  /** Returns a plan of one partition: what has several is put together as it is read. */
  private static LogicalPlan ofOnePartition(LogicalPlan plan) {
    if (CollectionConverters.asJava(plan.children()).isEmpty()) {
      return new Repartition(1, false, plan);
    }
    if (plan instanceof RepartitionOperation divided) {
      return ofOnePartition(divided.child());
    }
    List<LogicalPlan> children =
        CollectionConverters.asJava(plan.children()).stream()
            .map(DriverRun::ofOnePartition)
            .toList();
    LogicalPlan changed =
        (LogicalPlan) plan.withNewChildren(CollectionConverters.asScala(children).toSeq());
    if (changed instanceof Join join) {
      // what is around a join of one partition does not see that it is one
      return new Repartition(
          1,
          false,
          join.copy(
              join.left(), join.right(), join.joinType(), join.condition(),
              new JoinHint(HASHED, HASHED)));
    }
    return changed instanceof Union ? new Repartition(1, false, changed) : changed;
  }

  private static List<InternalRow> run(SparkSession session, LogicalPlan plan, int most) {
    SparkPlan planned =
        QueryExecution$.MODULE$.createSparkPlan(
            session.sessionState().planner(), ofOnePartition(plan));
    SparkPlan ready =
        QueryExecution$.MODULE$.prepareForExecution(
            QueryExecution$.MODULE$.preparations(session, Option.empty(), false), planned);
    if (ready.exists(
        node -> node instanceof ShuffleExchangeLike || node instanceof BroadcastExchangeLike)) {
      return null;
    }
    RDD<InternalRow> rows = ready.execute();
    List<InternalRow> found = new ArrayList<>();
    for (Partition part : rows.partitions()) {
      if (!compute(rows, part, found, most)) {
        return null;
      }
    }
    return found;
  }

  /** Computes a part, with all that a task of Spark has around it; returns whether there was room. */
  private static boolean compute(
      RDD<InternalRow> plan, Partition part, List<InternalRow> found, int most) {
    SparkEnv env = SparkEnv.get();
    long id = TASKS.getAndDecrement();
    TaskMemoryManager memory = new TaskMemoryManager(env.memoryManager(), id);
    TaskContextImpl task = task(plan, part, id, memory);
    Running running = new Running(task, plan.sparkContext().getLocalProperty(GROUP));
    RUNNING.add(running);
    env.blockManager().registerTask(id);
    InputFileBlockHolder$.MODULE$.initialize();
    TaskContext$.MODULE$.setTaskContext(task);
    try {
      Iterator<InternalRow> values = plan.iterator(part, task);
      while (values.hasNext()) {
        task.killTaskIfInterrupted();
        if (found.size() == most) {
          return false;
        }
        found.add(values.next().copy());
      }
      return true;
    } finally {
      RUNNING.remove(running);
      task.markTaskCompleted(Option.empty());
      TaskContext$.MODULE$.unset();
      InputFileBlockHolder$.MODULE$.unset();
      env.blockManager().releaseAllLocksForTask(id);
      memory.cleanUpAllAllocatedMemory();
    }
  }

  private static TaskContextImpl task(
      RDD<InternalRow> plan, Partition part, long id, TaskMemoryManager memory) {
    return new TaskContextImpl(
        -1, 0, part.index(), id, 0, plan.partitions().length, memory,
        properties(plan.sparkContext()), SparkEnv.get().metricsSystem(), TaskMetrics.empty(), 1,
        scala.collection.immutable.Map$.MODULE$.empty());
  }

  private static Properties properties(SparkContext context) {
    Properties copied = new Properties();
    copied.putAll(context.getLocalProperties());
    return copied;
  }
}
