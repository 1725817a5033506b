package icemelt.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.classic.SparkSession;
import scala.jdk.javaapi.CollectionConverters;

/** The settings of a Spark session, all in one request of Python's. */
public final class SessionSettings {
  private static final ObjectMapper JSON = new ObjectMapper();

  private SessionSettings() {}

  /** Gives a session settings, the members of a JSON object. */
  public static void set(SparkSession session, String settings) throws JsonProcessingException {
    JSON.readTree(settings)
        .fields()
        .forEachRemaining(each -> session.conf().set(each.getKey(), each.getValue().asText()));
  }

  /**
   * Returns a copy of the session's Hadoop configuration; without the settings whose names begin
   * with none of the prefixes in a JSON array, unless that is empty.
   */
  public static Configuration hadoop(SparkSession session, String prefixes)
      throws JsonProcessingException {
    Configuration all = session.sessionState().newHadoopConf();
    String[] wanted = JSON.readValue(prefixes, String[].class);
    if (wanted.length == 0) {
      return all;
    }
    Configuration some = new Configuration(false);
    for (String prefix : wanted) {
      all.getPropsWithPrefix(prefix).forEach((name, value) -> some.set(prefix + name, value));
    }
    return some;
  }

  /** Lets the tasks of this thread's jobs see the settings of a session, which it returns. */
  public static Map<String, String> lend(SparkSession session) {
    Map<String, String> settings =
        CollectionConverters.asJava(session.sessionState().conf().getAllConfs());
    session.sparkContext().getLocalProperties().putAll(settings);
    return settings;
  }

  /** Takes back the settings that this thread's jobs were lent. */
  public static void takeBack(SparkSession session, Map<String, String> settings) {
    session.sparkContext().getLocalProperties().keySet().removeAll(settings.keySet());
  }
}
