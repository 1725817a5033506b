package icemelt.spark;

import org.apache.spark.SparkRuntimeException;

/** A pattern that is none, or one that cannot be had in linear time. */
final class PatternRefused extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What icemelt.session.value_errors reads. */
  private static final String PATTERN = "icemelt-pattern:";
  private static final String ARGUMENT = "icemelt-argument:";

  PatternRefused(String reason) {
    super(reason);
  }

  /** Return the error that Spark tells of: one line. */
  SparkRuntimeException asError(String pattern) {
    String shown = pattern.length() > 60 ? pattern.substring(0, 60) + "…" : pattern;
    String line = PATTERN + getMessage() + ": " + shown;
    return RaisedErrors.of(line.replaceAll("[\\x00-\\x1f]", " "));
  }

  /** Return the error for another argument than the pattern. */
  static SparkRuntimeException argument(String sentence) {
    return RaisedErrors.of(ARGUMENT + sentence);
  }

  /** Return the error for an argument of any function, with a hint that has no |. */
  static SparkRuntimeException argument(String sentence, String hint) {
    return RaisedErrors.of(ARGUMENT + sentence.replaceAll("[\\x00-\\x1f]", " ") + "|" + hint);
  }
}
