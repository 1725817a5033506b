package icemelt.spark;

/**
 * Reads a regular expression once. It refuses what would need too much memory or stack, and finds
 * the <em>simple</em> ones: those that java.util.regex answers as RE2 does, with no more work
 * between two characters that it reads than the pattern is long, so that counting these bounds it.
 *
 * <p>In a simple pattern only single characters are repeated, a group is optional at most, and of
 * several ways to go on without reading there is one.
 */
final class PatternReader {
  private static final int DEEPEST = 200;
  private static final int LARGEST = 10_000;
  private static final int LONGEST_SIMPLE = 500;
  private static final int MOST_REPEATED = 1000;
  private static final String SPACES = "\\t\\n\\f\\r ";

  private enum Kind {
    CHARACTER,
    GROUP,
    EMPTY
  }

  /** What was read: how many instructions it takes, and whether it matches the empty text. */
  private record Part(Kind kind, double size, boolean nullable) {}

  private final String pattern;
  private final boolean ignoresCase;
  private final String anything;
  private final StringBuilder java = new StringBuilder();
  private int at = 0;
  private int depth = 0;
  private double choices = 1;
  private int loops = 0;
  private boolean simple;

  PatternReader(String pattern, String flags) {
    this.pattern = pattern;
    this.ignoresCase = flags.indexOf('i') >= 0;
    this.anything = flags.indexOf('s') >= 0 ? "." : "[^\\n]";
    this.simple = pattern.length() <= LONGEST_SIMPLE && flags.indexOf('m') < 0;
  }

  /** Return the pattern in Java's words, or null where it is not simple. */
  String read() {
    Part whole = alternatives();
    if (at < pattern.length()) {
      throw new PatternRefused("unexpected )");
    }
    if (whole.size > LARGEST) {
      throw new PatternRefused("it is too large: repetitions multiply");
    }
    return simple ? java.toString() : null;
  }

  /** Return how many ways there are at most to try a simple pattern, beside its loops. */
  double choices() {
    return choices;
  }

  /** Return how many repetitions without a limit there are. */
  int loops() {
    return loops;
  }

  private Part alternatives() {
    double size = 0;
    int nullable = 0;
    int branches = 0;
    while (true) {
      Part branch = sequence();
      size += branch.size + 1;
      branches++;
      nullable += branch.nullable ? 1 : 0;
      if (!next('|')) {
        break;
      }
      java.append('|');
    }
    simple &= nullable <= 1;
    choices *= branches;
    return new Part(Kind.GROUP, size, nullable > 0);
  }

  private Part sequence() {
    double size = 0;
    boolean nullable = true;
    while (at < pattern.length() && pattern.charAt(at) != '|' && pattern.charAt(at) != ')') {
      Part piece = repeated(atom());
      size += piece.size;
      nullable &= piece.nullable;
    }
    return new Part(Kind.GROUP, size, nullable);
  }

  private Part repeated(Part part) {
    double size = part.size;
    boolean nullable = part.nullable;
    boolean again = false;
    while (at < pattern.length()) {
      int start = at;
      int[] times = repetition();
      if (times == null) {
        break;
      }
      next('?');
      java.append(pattern, start, at);
      boolean optional = times[0] == 0 && times[1] == 1;
      boolean bounded = part.kind == Kind.CHARACTER && times[0] <= MOST_REPEATED;
      simple &= !again && (bounded || part.kind == Kind.GROUP && optional && !part.nullable);
      simple &= times[1] < 0 || times[0] <= times[1] && times[1] <= MOST_REPEATED;
      loops += times[1] < 0 ? 1 : 0;
      choices *= Math.max(1, times[1] - times[0] + 1);
      size *= times[1] < 0 ? times[0] + 1 : Math.max(times[1], 1);
      nullable |= times[0] == 0;
      again = true;
    }
    return new Part(part.kind, size, nullable);
  }

  /** Read * + ? {n} {n,} {n,m} and return the least and most, the latter -1 for no limit. */
  private int[] repetition() {
    if (next('*')) {
      return new int[] {0, -1};
    }
    if (next('+')) {
      return new int[] {1, -1};
    }
    if (next('?')) {
      return new int[] {0, 1};
    }
    int start = at;
    if (next('{')) {
      int least = number();
      int most = least;
      if (least >= 0 && next(',')) {
        most = number();
      }
      if (least >= 0 && next('}')) {
        return new int[] {least, most};
      }
      // what looks like a repetition is for RE2/J to judge
      simple &= least < 0;
      at = start;
    }
    return null;
  }

  private int number() {
    int start = at;
    while (at < pattern.length() && at < start + 6 && Character.isDigit(pattern.charAt(at))) {
      at++;
    }
    return at == start ? -1 : Integer.parseInt(pattern.substring(start, at));
  }

  private Part atom() {
    char first = pattern.charAt(at++);
    switch (first) {
      case '(':
        return group();
      case '[':
        return characterClass();
      case '\\':
        return escape();
      case '.':
        java.append(anything);
        return character();
      case '^':
        java.append('^');
        return new Part(Kind.EMPTY, 1, true);
      case '$':
        java.append("\\z");
        return new Part(Kind.EMPTY, 1, true);
      case '*', '+', '?':
        simple = false;
        return character();
      default:
        literal(first);
        return character();
    }
  }

  private Part character() {
    return new Part(Kind.CHARACTER, 1, false);
  }

  private Part group() {
    if (++depth > DEEPEST) {
      throw new PatternRefused("its groups are nested deeper than " + DEEPEST);
    }
    java.append('(');
    if (next('?')) {
      if (next(':')) {
        java.append("?:");
      } else {
        simple = false;
        // the name or the flags, to the end of these; (?i) alone has no group
        while (at < pattern.length() && "):>".indexOf(pattern.charAt(at)) < 0) {
          at++;
        }
        if (at < pattern.length() && pattern.charAt(at) != ')') {
          at++;
        }
      }
    }
    Part inner = alternatives();
    if (!next(')')) {
      throw new PatternRefused("missing closing )");
    }
    java.append(')');
    depth--;
    return new Part(Kind.GROUP, inner.size + 2, inner.nullable);
  }

  private Part characterClass() {
    java.append('[');
    if (next('^')) {
      java.append('^');
    }
    boolean first = true;
    while (true) {
      if (at >= pattern.length()) {
        throw new PatternRefused("missing closing ]");
      }
      char item = pattern.charAt(at++);
      if (item == ']' && !first) {
        break;
      }
      boolean posix = item == '[' && at < pattern.length() && pattern.charAt(at) == ':';
      int end = posix ? pattern.indexOf(":]", at) : -1;
      if (end >= 0) {
        simple = false;
        at = end + 2;
      } else {
        item(item, first);
      }
      first = false;
    }
    java.append(']');
    return character();
  }

  /** Read one item of a class: a character, a range of them, or \d and its kind. */
  private void item(char item, boolean first) {
    if (item == '-') {
      // as itself only where it stands first or last
      simple &= first || at < pattern.length() && pattern.charAt(at) == ']';
      literal(item);
    } else if (item == '\\') {
      escapeInClass();
    } else if (at + 1 < pattern.length()
        && pattern.charAt(at) == '-'
        && pattern.charAt(at + 1) != ']') {
      char last = pattern.charAt(at + 1);
      simple &= item <= last && last != '\\' && last != '[' && item != '[';
      if (last == '\\' || last == '[') {
        literal(item);
        return;
      }
      at += 2;
      literal(item);
      java.append('-');
      literal(last);
    } else {
      literal(item);
    }
  }

  private void escapeInClass() {
    char escaped = escaped();
    if ("dw".indexOf(escaped) >= 0) {
      simple &= !isBefore('-');
      java.append('\\').append(escaped);
    } else if (escaped == 's') {
      simple &= !isBefore('-');
      java.append(SPACES);
    } else if ("tnrf".indexOf(escaped) >= 0 || !Character.isLetterOrDigit(escaped)) {
      simple &= escaped < 0x80 && (!isBefore('-') || isBefore("-]"));
      java.append('\\').append(escaped);
    } else {
      simple = false;
    }
  }

  private Part escape() {
    char escaped = escaped();
    if (escaped == 'Q') {
      simple = false;
      int end = pattern.indexOf("\\E", at);
      int length = (end < 0 ? pattern.length() : end) - at;
      at += end < 0 ? length : length + 2;
      return new Part(Kind.CHARACTER, Math.max(length, 1), false);
    }
    if ("dDwW".indexOf(escaped) >= 0) {
      java.append('\\').append(escaped);
    } else if (escaped == 's' || escaped == 'S') {
      java.append(escaped == 's' ? "[" : "[^").append(SPACES).append(']');
    } else if (escaped == 'A' || escaped == 'z') {
      java.append('\\').append(escaped);
      return new Part(Kind.EMPTY, 1, true);
    } else if ("tnrfa".indexOf(escaped) >= 0 || !Character.isLetterOrDigit(escaped)) {
      simple &= escaped < 0x80 && escaped != '_';
      java.append('\\').append(escaped);
    } else {
      simple = false;
      boolean braced = "xpP".indexOf(escaped) >= 0 && next('{');
      int end = braced ? pattern.indexOf('}', at) : -1;
      at = end < 0 ? at : end + 1;
      // \b and \B match between characters
      boolean between = escaped == 'b' || escaped == 'B';
      return new Part(between ? Kind.EMPTY : Kind.CHARACTER, 1, between);
    }
    return character();
  }

  private char escaped() {
    if (at >= pattern.length()) {
      throw new PatternRefused("it ends in a backslash");
    }
    return pattern.charAt(at++);
  }

  private void literal(char character) {
    simple &= !Character.isSurrogate(character) && (character < 0x80 || !ignoresCase);
    boolean plain = Character.isLetterOrDigit(character) || character >= 0x80;
    java.append(plain || character == '_' ? "" : "\\").append(character);
  }

  private boolean isBefore(char next) {
    return at < pattern.length() && pattern.charAt(at) == next;
  }

  private boolean isBefore(String next) {
    return pattern.startsWith(next, at);
  }

  private boolean next(char expected) {
    if (isBefore(expected)) {
      at++;
      return true;
    }
    return false;
  }
}
