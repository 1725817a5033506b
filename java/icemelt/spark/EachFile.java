package icemelt.spark;

import java.io.Serializable;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.SerializableConfiguration;
import scala.reflect.ClassTag$;

/** Asks each of some files the same in Spark's tasks, and gives tasks Hadoop's settings. */
final class EachFile {
  private static final int PARTS_OF_CORE = 8;

  private EachFile() {}

  /** What is asked of a file. */
  interface Question<T> extends Serializable {
    T ask(String file, Configuration settings) throws Exception;
  }

  /** Returns the answer of each file, in order. */
  static <T> List<T> ask(
      org.apache.spark.sql.classic.SparkSession session, List<String> files,
      Question<T> question) {
    SerializableConfiguration settings =
        new SerializableConfiguration(session.sessionState().newHadoopConf());
    JavaSparkContext context = JavaSparkContext.fromSparkContext(session.sparkContext());
    int parts = Math.min(files.size(), PARTS_OF_CORE * context.defaultParallelism());
    return context
        .parallelize(files, parts)
        .map(file -> question.ask(file, settings.value()))
        .collect();
  }

  /** Sends Hadoop's settings to the executors, once for all tasks. */
  static Broadcast<SerializableConfiguration> sendSettings(
      SparkSession session, Configuration settings) {
    return session
        .sparkContext()
        .broadcast(
            new SerializableConfiguration(settings),
            ClassTag$.MODULE$.apply(SerializableConfiguration.class));
  }
}
