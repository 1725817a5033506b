package icemelt.spark;

/**
 * How deep arrays and objects may be in each other: as deep as in the JSON texts that Spark reads.
 * What reads or writes the levels by calling itself takes stack for each, and Java ends where a
 * thread has none left.
 */
final class Nesting {
  private static final int DEEPEST = 1_000;

  private Nesting() {}

  /** Returns the depth inside an array or object that is at a depth, 0 for one in no other. */
  static int deeper(int depth) {
    if (depth == DEEPEST) {
      throw PatternRefused.argument(
          "A VARIANT has arrays and objects in each other, more than 1,000 deep.",
          "Keep the inner ones as a text: TO_JSON(v:inner).");
    }
    return depth + 1;
  }
}
