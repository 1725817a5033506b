package icemelt.spark;

import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.spark.TaskContext;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The next values of sequences in the rows of one statement.
 *
 * <p>The session opens a supply under a key and adds ranges to it that it has taken from the
 * catalog. Each row takes one number of the supply, whatever task it is in. Rows that find none
 * left wait until the session has added more: `awaitDemand` tells it to.
 *
 * <p>A task in another Java than the session's finds no supply. It numbers its rows within the range in the call: the
 * n-th row of partition p of P has the number n * P + p, so no two tasks of a stage share one.
 */
public final class NextValues {
  private static final ConcurrentMap<String, NextValues> SUPPLIES = new ConcurrentHashMap<>();
  private static final ConcurrentMap<String, long[]> ROWS_OF_TASKS = new ConcurrentHashMap<>();
  private static final long LOOKS_FOR_CANCEL_EACH = 100;

  /** Ranges as pairs: the first value, and how many. */
  private final ArrayDeque<long[]> ranges = new ArrayDeque<>();

  private final long step;
  private boolean isWanting;
  private String failure;

  private NextValues(long step) {
    this.step = step;
  }

  /** Opens a supply of values, which are a step apart. */
  public static void open(String key, long step) {
    SUPPLIES.put(key, new NextValues(step));
  }

  /** Adds a range to a supply; returns false if it is closed. */
  public static boolean add(String key, long first, long count) {
    NextValues supply = SUPPLIES.get(key);
    return supply != null && supply.add(first, count);
  }

  /** Has the rows that wait for a supply fail: there are no more values. */
  public static void fail(String key, String message) {
    NextValues supply = SUPPLIES.get(key);
    if (supply != null) {
      supply.fail(message);
    }
  }

  /** Waits until rows lack values; returns false after some milliseconds, or if it is closed. */
  public static boolean awaitDemand(String key, long milliseconds) throws InterruptedException {
    NextValues supply = SUPPLIES.get(key);
    return supply != null && supply.awaitDemand(milliseconds);
  }

  /** Ends a wait for rows that lack values. */
  public static void wake(String key) {
    NextValues supply = SUPPLIES.get(key);
    if (supply != null) {
      supply.wake();
    }
  }

  /** Closes a supply; returns how many values of its last range were not taken. */
  public static long close(String key) {
    NextValues supply = SUPPLIES.remove(key);
    return supply == null ? 0 : supply.close();
  }

  /** Returns the next value: of a supply of this Java, or of the range of a task elsewhere. */
  public static long next(UTF8String key, long first, long step, long count)
      throws InterruptedException {
    NextValues supply = SUPPLIES.get(key.toString());
    return supply == null ? ofTask(key.toString(), first, step, count) : supply.take();
  }

  private static long ofTask(String key, long first, long step, long count) {
    TaskContext task = TaskContext.get();
    if (task == null || task.stageAttemptNumber() > 0) {
      throw new IllegalStateException("icemelt-sequence: an executor was lost");
    }
    String place = task.taskAttemptId() + " " + key;
    long[] rows =
        ROWS_OF_TASKS.computeIfAbsent(
            place,
            absent -> {
              task.addTaskCompletionListener(
                  new org.apache.spark.util.TaskCompletionListener() {
                    @Override
                    public void onTaskCompletion(TaskContext ended) {
                      ROWS_OF_TASKS.remove(place);
                    }
                  });
              return new long[1];
            });
    long number = rows[0]++ * task.numPartitions() + task.partitionId();
    if (number >= count) {
      throw new IllegalStateException("icemelt-sequence: more than " + count + " values");
    }
    return first + number * step;
  }

  private synchronized boolean add(long first, long count) {
    if (failure == null) {
      ranges.add(new long[] {first, count});
      isWanting = false;
      notifyAll();
    }
    return failure == null;
  }

  private synchronized void fail(String message) {
    failure = message;
    notifyAll();
  }

  private synchronized void wake() {
    notifyAll();
  }

  private synchronized boolean awaitDemand(long milliseconds) throws InterruptedException {
    if (!isWanting && failure == null) {
      wait(milliseconds);
    }
    return isWanting && failure == null;
  }

  private synchronized long take() throws InterruptedException {
    while (ranges.isEmpty()) {
      if (failure != null) {
        throw new IllegalStateException("icemelt-sequence: " + failure);
      }
      isWanting = true;
      notifyAll();
      wait(LOOKS_FOR_CANCEL_EACH);
      TaskContext task = TaskContext.get();
      if (task != null) {
        task.killTaskIfInterrupted();
      }
    }
    long[] range = ranges.peek();
    long value = range[0];
    range[0] += step;
    if (--range[1] == 0) {
      ranges.remove();
    }
    return value;
  }

  private synchronized long close() {
    failure = "the statement has ended";
    notifyAll();
    return ranges.isEmpty() ? 0 : ranges.peekLast()[1];
  }
}
