package icemelt.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.ExpressionUtils;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.ObjectType;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.util.AccumulatorV2;
import org.apache.spark.util.TaskCompletionListener;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Counts the rows of each file and the refused ones, while a job reads them for another purpose.
 *
 * <p>The count is a value of each row, computed in Spark's compiled code: an observer of rows would take
 * them one by one, out of it. A partition whose task runs twice, because rows are sampled before they
 * are sorted or because an executor is lost, is counted once.
 */
public final class FileCounter extends AccumulatorV2<Void, String> {
  private static final long serialVersionUID = 1;

  /** By partition and file: how many rows, and how many of them are refused. */
  private final Map<Integer, LinkedHashMap<UTF8String, long[]>> counts = new TreeMap<>();

  /** What the running task has counted; the heartbeats of an executor must not read it. */
  private transient LinkedHashMap<UTF8String, long[]> running;

  private transient UTF8String last;
  private transient long[] ofLast;

  /** Makes a counter for the rows of one statement. */
  public static FileCounter of(Dataset<Row> rows) {
    FileCounter counter = new FileCounter();
    rows.sparkSession().sparkContext().register(counter);
    return counter;
  }

  /**
   * Returns the rows with one more column, whether a row is accepted; asking for it counts the row.
   *
   * @param file the column with the name of a row's file
   * @param refused SQL that tells whether a row is refused, never NULL
   * @param accepted the name of the new column, a BOOLEAN
   */
  public Dataset<Row> watch(Dataset<Row> rows, String file, String refused, String accepted) {
    Expression count =
        new Invoke(
            Literal.fromObject(this, new ObjectType(FileCounter.class)),
            "count",
            DataTypes.BooleanType,
            CollectionConverters.asScala(
                    List.of(
                        ExpressionUtils.expression(rows.col(file)),
                        ExpressionUtils.expression(functions.expr(refused))))
                .toSeq(),
            CollectionConverters.asScala(
                    List.<AbstractDataType>of(DataTypes.StringType, DataTypes.BooleanType))
                .toSeq(),
            false,
            false,
            false);
    return rows.withColumn(accepted, ExpressionUtils.column(count));
  }

  /** Counts a row of a file, none of no file; returns whether it is accepted. */
  public boolean count(UTF8String file, boolean refused) {
    if (file == null) {
      return !refused;
    }
    if (running == null) {
      begin();
    }
    if (!file.equals(last)) {
      // the bytes of a row's values are used again for the next row
      last = file.copy();
      ofLast = running.computeIfAbsent(last, name -> new long[2]);
    }
    ofLast[0]++;
    if (refused) {
      ofLast[1]++;
    }
    return !refused;
  }

  private void begin() {
    LinkedHashMap<UTF8String, long[]> counted = new LinkedHashMap<>();
    running = counted;
    int partition = TaskContext.getPartitionId();
    TaskContext.get()
        .addTaskCompletionListener(
            new TaskCompletionListener() {
              @Override
              public void onTaskCompletion(TaskContext task) {
                synchronized (FileCounter.this) {
                  counts.put(partition, counted);
                }
              }
            });
  }

  /** Returns for each file how many rows it has, and how many are refused: `{"a.csv":[10,1]}`. */
  @Override
  public synchronized String value() {
    Map<String, long[]> files = new LinkedHashMap<>();
    for (Map<UTF8String, long[]> of : counts.values()) {
      of.forEach(
          (name, counted) -> {
            long[] sum = files.computeIfAbsent(name.toString(), absent -> new long[2]);
            sum[0] += counted[0];
            sum[1] += counted[1];
          });
    }
    try {
      return new ObjectMapper().writeValueAsString(files);
    } catch (JsonProcessingException error) {
      throw new IllegalStateException(error);
    }
  }

  @Override
  public synchronized boolean isZero() {
    return counts.isEmpty();
  }

  @Override
  public synchronized AccumulatorV2<Void, String> copy() {
    FileCounter copied = new FileCounter();
    copied.counts.putAll(counts);
    return copied;
  }

  @Override
  public synchronized void reset() {
    counts.clear();
  }

  @Override
  public void add(Void nothing) {
    throw new UnsupportedOperationException("count(file, refused) adds a row");
  }

  @Override
  public synchronized void merge(AccumulatorV2<Void, String> other) {
    counts.putAll(((FileCounter) other).counts);
  }
}
