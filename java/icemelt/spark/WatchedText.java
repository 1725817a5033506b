package icemelt.spark;

import java.util.concurrent.CancellationException;
import org.apache.spark.TaskContext;

/**
 * A text on which a pattern is tried. It counts the characters that are read, and hears when its
 * task is cancelled: neither java.util.regex nor RE2/J looks at that by itself.
 */
final class WatchedText implements CharSequence {
  /** Thrown where more characters were read than allowed; it has no stack, for it is no error. */
  static final class TooManySteps extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final TooManySteps INSTANCE = new TooManySteps();

    private TooManySteps() {
      super(null, null, false, false);
    }
  }

  private static final int WINDOW = 256;

  private final String text;
  private long allowed;
  private int untilCheck = WINDOW;

  WatchedText(String text, long allowed) {
    this.text = text;
    this.allowed = allowed;
  }

  @Override
  public int length() {
    return text.length();
  }

  @Override
  public char charAt(int index) {
    if (--untilCheck < 0) {
      check();
    }
    return text.charAt(index);
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    return text.substring(start, end);
  }

  @Override
  public String toString() {
    return text;
  }

  private void check() {
    untilCheck = WINDOW;
    allowed -= WINDOW;
    if (allowed < 0) {
      throw TooManySteps.INSTANCE;
    }
    refuseCancelled();
  }

  /** End where the task, or the thread that plans, has been cancelled. */
  static void refuseCancelled() {
    TaskContext task = TaskContext.get();
    if (task != null) {
      task.killTaskIfInterrupted();
    } else if (Thread.currentThread().isInterrupted()) {
      throw new CancellationException("cancelled because the thread was interrupted");
    }
  }
}
