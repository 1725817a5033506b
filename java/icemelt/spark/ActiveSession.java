package icemelt.spark;

import org.apache.spark.sql.classic.SparkSession;
import scala.Option;

/**
 * Makes a session the active one of this thread, until it is closed.
 *
 * <p>A node of a plan that is ready to run has the session that is active where the node is made.
 * A thread of Python's has none of its own: Spark's own calls set theirs for their time alone.
 */
final class ActiveSession implements AutoCloseable {
  private final Option<SparkSession> before;

  ActiveSession(SparkSession session) {
    before = SparkSession.getActiveSession();
    SparkSession.setActiveSession(session);
  }

  @Override
  public void close() {
    if (before.isDefined()) {
      SparkSession.setActiveSession(before.get());
    } else {
      SparkSession.clearActiveSession();
    }
  }
}
