package icemelt.spark;

import org.apache.spark.QueryContext;
import org.apache.spark.SparkRuntimeException;
import scala.collection.immutable.Map;

/** Errors that Spark tells of as of those of {@code raise_error}. */
final class RaisedErrors {
  private RaisedErrors() {}

  /** Returns an error with a message that icemelt reads. */
  static SparkRuntimeException of(String message) {
    return new SparkRuntimeException(
        "USER_RAISED_EXCEPTION",
        new Map.Map1<>("errorMessage", message),
        null,
        new QueryContext[0],
        "");
  }
}
