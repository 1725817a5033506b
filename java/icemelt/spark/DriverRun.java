package icemelt.spark;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.iceberg.ScanTaskGroup;
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
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.UserDefinedExpression;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.catalyst.plans.FullOuter$;
import org.apache.spark.sql.catalyst.plans.LeftOuter$;
import org.apache.spark.sql.catalyst.plans.RightOuter$;
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
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.read.Scan;
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

  /** Of the files: their bytes, and how many are opened, one after the other. */
  private static final long MOST_FILE_BYTES = 16 << 20;

  private static final int MOST_FILES = 100;

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

  /** A side that a join hashes; not one whose rows stay without a match: Spark notes each of them. */
  private static final Option<HintInfo> HASHED =
      Option.apply(new HintInfo(Option.apply(SHUFFLE_HASH$.MODULE$)));

  /** Ids of tasks that nothing else has: a scheduler counts up from 0, a driver itself is -1,024. */
  private static final AtomicLong TASKS = new AtomicLong(-1_000_000);

  private static final Set<Running> RUNNING = ConcurrentHashMap.newKeySet();
  private static final String GROUP = "spark.jobGroup.id";

  /** The setting of a session with which everything is left to jobs: `false`. */
  private static final String ALLOWED = "spark.icemelt.driverRuns";

  private DriverRun() {}

  /** A task that runs in a thread, and the job group of its statement. */
  private static final class Running {
    private final TaskContextImpl task;
    private final String group;
    private Thread thread = Thread.currentThread();

    Running(TaskContextImpl task, String group) {
      this.task = task;
      this.group = group;
    }

    synchronized void cancel() {
      if (thread != null) {
        task.markInterrupted("cancelled");
        // it may wait for a store, or for memory
        thread.interrupt();
      }
    }

    synchronized void end() {
      thread = null;
      Thread.interrupted();
    }
  }

  /** How many rows and bytes a query may give, and what it has given. */
  private static final class Found {
    private final List<InternalRow> rows = new ArrayList<>();
    private final int mostRows;
    private long bytesLeft;

    Found(int mostRows, long mostBytes) {
      this.mostRows = mostRows;
      this.bytesLeft = mostBytes;
    }

    /** Keeps a row; returns false where there is no room. */
    boolean add(InternalRow row) {
      bytesLeft -= row instanceof UnsafeRow sized ? sized.getSizeInBytes() : 0;
      return bytesLeft >= 0 && rows.size() < mostRows && rows.add(row.copy());
    }
  }

  /** Returns the rows of a query, null where it needs a job, is large, or gives more than so many. */
  static List<InternalRow> rows(Dataset<?> query, int mostRows, int mostBytes) {
    LogicalPlan plan = query.queryExecution().optimizedPlan();
    SparkSession session = query.sparkSession();
    SQLConf conf = session.sessionState().conf();
    if (conf.getConfString(ALLOWED, "true").equals("false") || !isSmall(plan, new Read())) {
      return null;
    }
    SQLConf changed = conf.clone();
    SETTINGS.forEach(changed::setConfString);
    try (ActiveSession active = new ActiveSession(session)) {
      // Arrow's format takes less than Spark's
      Found found = new Found(mostRows, 4L * mostBytes);
      return SQLConf.withExistingConf(changed, () -> run(session, plan, found));
    }
  }

  /** Ends the tasks of a job group that run here, as Spark ends those of executors. */
  public static void cancel(String group) {
    for (Running running : RUNNING) {
      if (group.equals(running.group)) {
        running.cancel();
      }
    }
  }

  /** What is read: rows, bytes as Spark has them in memory, files and their bytes. */
  private static final class Read {
    private long rows;
    private long bytes;
    private long files;
    private long fileBytes;

    /** Adds what a scan reads; returns false where it is not known, or too much. */
    boolean add(Scan scan) {
      List<ScanTaskGroup<?>> tasks = tasks(scan);
      if (tasks == null || !(scan instanceof SupportsReportStatistics told)) {
        return false;
      }
      Statistics statistics = told.estimateStatistics();
      rows += statistics.numRows().orElse(MOST_ROWS + 1);
      bytes += statistics.sizeInBytes().orElse(MOST_BYTES + 1);
      for (ScanTaskGroup<?> group : tasks) {
        files += group.filesCount();
        fileBytes += group.sizeBytes();
      }
      return rows <= MOST_ROWS
          && bytes <= MOST_BYTES
          && files <= MOST_FILES
          && fileBytes <= MOST_FILE_BYTES;
    }

    /** Returns the tasks that a scan of Iceberg has planned, null of another scan. */
    @SuppressWarnings("unchecked")
    private static List<ScanTaskGroup<?>> tasks(Scan scan) {
      for (Class<?> kind = scan.getClass(); kind != null; kind = kind.getSuperclass()) {
        try {
          Method planned = kind.getDeclaredMethod("taskGroups");
          planned.setAccessible(true);
          return (List<ScanTaskGroup<?>>) planned.invoke(scan);
        } catch (NoSuchMethodException absent) {
          // a class above may have it
          continue;
        } catch (ReflectiveOperationException error) {
          throw new IllegalStateException(error);
        }
      }
      return null;
    }
  }

  private static boolean isSmall(LogicalPlan plan, Read read) {
    boolean runs =
        NODES.contains(plan.getClass())
            && needsNoOther(plan)
            && !(plan instanceof Generate generate && !givesFew(generate))
            && !(plan instanceof Join join && !hasKeys(join))
            && !(plan instanceof DataSourceV2ScanRelation relation && !read.add(relation.scan()));
    return runs
        && CollectionConverters.asJava(plan.children()).stream()
            .allMatch(child -> isSmall(child, read));
  }

  /** Tells whether a join looks for rows by keys: each with each is a job's, of broadcast rows. */
  private static boolean hasKeys(Join join) {
    return join.condition().isDefined()
        && join.condition()
            .get()
            .exists(part -> part instanceof EqualTo || part instanceof EqualNullSafe);
  }

  /** Tells whether the rows that are made of a row are listed, or are the elements of a column. */
  private static boolean givesFew(Generate generate) {
    return CollectionConverters.asJava(((Expression) generate.generator()).children()).stream()
        .allMatch(part -> part instanceof CreateArray || part instanceof Attribute);
  }

  /**
   * Tells whether the values of a node need no other query, and no process of Python's; and whether
   * nobody misses what was computed in vain: numbers of a sequence are taken once.
   */
  private static boolean needsNoOther(LogicalPlan plan) {
    return CollectionConverters.asJava(plan.expressions()).stream()
        .noneMatch(value -> value.exists(DriverRun::isForJobs));
  }

  private static boolean isForJobs(TreeNode<?> part) {
    return part instanceof PlanExpression
        || part instanceof UserDefinedExpression
        || (part instanceof StaticInvoke call && call.staticObject() == NextValues.class);
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
      changed =
          join.copy(join.left(), join.right(), join.joinType(), join.condition(), hint(join));
    }
    // what is around these does not see that they have one partition
    boolean hides =
        changed instanceof Join || changed instanceof Union || changed instanceof Expand;
    return hides ? new Repartition(1, false, changed) : changed;
  }

  private static JoinHint hint(Join join) {
    boolean keepsLeft = join.joinType() == LeftOuter$.MODULE$;
    boolean keepsRight = join.joinType() == RightOuter$.MODULE$;
    boolean keepsBoth = join.joinType() == FullOuter$.MODULE$;
    return new JoinHint(
        keepsLeft || keepsBoth ? Option.empty() : HASHED,
        keepsRight || keepsBoth ? Option.empty() : HASHED);
  }

  private static List<InternalRow> run(SparkSession session, LogicalPlan plan, Found found) {
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
    for (Partition part : rows.partitions()) {
      if (!compute(rows, part, found)) {
        return null;
      }
    }
    return found.rows;
  }

  /** Computes a part, with all that a task of Spark has around it; returns whether there was room. */
  private static boolean compute(RDD<InternalRow> plan, Partition part, Found found) {
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
        if (!found.add(values.next())) {
          return false;
        }
      }
      return true;
    } finally {
      RUNNING.remove(running);
      running.end();
      try {
        // readers are closed then, which may fail
        task.markTaskCompleted(Option.empty());
      } finally {
        TaskContext$.MODULE$.unset();
        InputFileBlockHolder$.MODULE$.unset();
        env.blockManager().releaseAllLocksForTask(id);
        memory.cleanUpAllAllocatedMemory();
      }
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
