package icemelt.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.columnar.CachedRDDBuilder;
import org.apache.spark.sql.execution.columnar.DefaultCachedBatchSerializer;
import org.apache.spark.sql.execution.columnar.InMemoryRelation;
import org.apache.spark.sql.execution.columnar.InMemoryRelation$;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.storage.StorageLevel;
import scala.Option;
import scala.math.BigInt;

/** Data frames, in one request of Python's. */
public final class Frames {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * What Spark finds out about the values of each column, for filters of its own. Of joins of joins,
   * whose rows are kept, that takes a third of their planning.
   */
  private static final String FOUND_OUT = "spark.sql.constraintPropagation.enabled";

  private Frames() {}

  /** Returns the values of expressions over the rows of a data frame, given as a JSON array. */
  public static Dataset<Row> select(Dataset<Row> rows, String expressions)
      throws JsonProcessingException {
    return rows.selectExpr(JSON.readValue(expressions, String[].class));
  }

  /** Returns the schema of a data frame in JSON. */
  public static String schema(Dataset<Row> rows) {
    return rows.schema().json();
  }

  /**
   * Returns a data frame whose rows are computed once, when they are first read, and kept until
   * {@link #drop}. The number names them in plans of the statement. Spark's own cache would compare
   * all plans of all sessions with this one.
   */
  public static Dataset<Row> keep(Dataset<Row> rows, int number) {
    SQLConf conf = rows.sparkSession().sessionState().conf().clone();
    conf.setConfString(FOUND_OUT, "false");
    try (ActiveSession active = new ActiveSession(rows.sparkSession())) {
      return SQLConf.withExistingConf(conf, () -> keepActive(rows, number));
    }
  }

  private static Dataset<Row> keepActive(Dataset<Row> rows, int number) {
    QueryExecution query = rows.queryExecution();
    SparkPlan plan = new KeptPlan(query.executedPlan(), number);
    CachedRDDBuilder builder =
        new CachedRDDBuilder(
            new DefaultCachedBatchSerializer(),
            StorageLevel.MEMORY_AND_DISK(),
            plan,
            Option.apply("kept rows"),
            query.logical());
    Statistics size = withLimit(query.optimizedPlan().stats());
    InMemoryRelation kept =
        InMemoryRelation$.MODULE$.apply(plan.output(), builder, plan.outputOrdering(), size);
    return Dataset.ofRows(rows.sparkSession(), kept);
  }

  /** Returns an estimate of at most a long's bytes: joins of joins multiply the estimates. */
  private static Statistics withLimit(Statistics size) {
    BigInt bytes = size.sizeInBytes();
    return size.copy(
        bytes.isValidLong() ? bytes : BigInt.apply(Long.MAX_VALUE),
        Option.empty(),
        size.attributeStats(),
        false);
  }

  /** Drops the rows that {@link #keep} has kept. */
  public static void drop(Dataset<Row> kept) {
    Object plan = kept.queryExecution().analyzed();
    ((InMemoryRelation) plan).cacheBuilder().clearCache(false);
  }
}
