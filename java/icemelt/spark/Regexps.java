package icemelt.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Snowflake's functions of regular expressions. Positions count characters from 1; flags are some
 * of i, m and s; group -1 is the first one, or the whole match of a pattern without groups. None
 * is called with a NULL.
 */
public final class Regexps {
  private Regexps() {}

  /** Tell whether the pattern matches the whole text. */
  public static boolean like(UTF8String text, UTF8String pattern, UTF8String flags) {
    String string = text.toString();
    return RegularExpression.of(pattern, flags).in(string, isAscii(text, string)).matches();
  }

  /** Count the matches. */
  public static int count(UTF8String text, UTF8String pattern, int position, UTF8String flags) {
    Matches matches = new Matches(text, pattern, position, flags);
    int count = 0;
    while (matches.next()) {
      count++;
    }
    return count;
  }

  /** Return where a match, or its group, begins (option 0) or what follows it (1); 0: nowhere. */
  public static int instr(
      UTF8String text, UTF8String pattern, int position, int occurrence, int option,
      UTF8String flags, int group) {
    if (option != 0 && option != 1) {
      throw PatternRefused.argument("The option of REGEXP_INSTR is 0 or 1, found " + option + ".");
    }
    Matches matches = new Matches(text, pattern, position, flags);
    int wanted = matches.group(group);
    if (!matches.next(occurrence) || wanted < 0 || matches.search.start(wanted) < 0) {
      return 0;
    }
    int at = option == 0 ? matches.search.start(wanted) : matches.search.end(wanted);
    return position + matches.string.codePointCount(0, at);
  }

  /** Return a match, or its group; NULL where there is none. */
  public static UTF8String substr(
      UTF8String text, UTF8String pattern, int position, int occurrence, UTF8String flags,
      int group) {
    Matches matches = new Matches(text, pattern, position, flags);
    int wanted = matches.group(group);
    return wanted >= 0 && matches.next(occurrence) ? matches.text(wanted) : null;
  }

  /** Return the matches, or their groups, from an occurrence on. */
  public static ArrayData substrAll(
      UTF8String text, UTF8String pattern, int position, int occurrence, UTF8String flags,
      int group) {
    Matches matches = new Matches(text, pattern, position, flags);
    int wanted = matches.group(group);
    List<Object> found = new ArrayList<>();
    if (wanted >= 0) {
      boolean more = matches.next(occurrence);
      while (more) {
        found.add(matches.text(wanted));
        more = matches.next();
      }
    }
    return new GenericArrayData(found);
  }

  /**
   * Replace one match, or all of them where the occurrence is 0. In the replacement \1 is the first
   * group, \0 the match and \\ a backslash.
   */
  public static UTF8String replace(
      UTF8String text, UTF8String pattern, UTF8String replacement, int position, int occurrence,
      UTF8String flags) {
    if (occurrence < 0) {
      throw PatternRefused.argument("An occurrence is not negative, found " + occurrence + ".");
    }
    Matches matches = new Matches(text, pattern, position, flags);
    if (!matches.next(Math.max(occurrence, 1))) {
      return text;
    }
    Replacement parts = new Replacement(replacement.toString(), matches);
    StringBuilder result = new StringBuilder(matches.before);
    int copied = 0;
    do {
      result.append(matches.string, copied, matches.search.start(0));
      parts.addTo(result);
      copied = matches.search.end(0);
    } while (occurrence == 0 && matches.next());
    result.append(matches.string, copied, matches.string.length());
    return UTF8String.fromString(result.toString());
  }

  /** Cut a text at the matches, as Java's split does with a limit. */
  public static ArrayData split(UTF8String text, UTF8String pattern, int limit) {
    Matches matches = new Matches(text, pattern, 1, UTF8String.EMPTY_UTF8);
    List<Object> parts = new ArrayList<>();
    int begin = 0;
    while ((limit <= 0 || parts.size() < limit - 1) && matches.next()) {
      int start = matches.search.start(0);
      int end = matches.search.end(0);
      if (end == 0 || start == end && start == matches.string.length()) {
        continue;
      }
      parts.add(UTF8String.fromString(matches.string.substring(begin, start)));
      begin = end;
    }
    parts.add(UTF8String.fromString(matches.string.substring(begin)));
    return new GenericArrayData(parts);
  }

  /** Cut a text at each place of another one; an empty one cuts nothing. */
  public static ArrayData splitAt(UTF8String text, UTF8String separator) {
    List<Object> parts = new ArrayList<>();
    String string = text.toString();
    String at = separator.toString();
    int begin = 0;
    int end = at.isEmpty() ? -1 : string.indexOf(at);
    while (end >= 0) {
      parts.add(UTF8String.fromString(string.substring(begin, end)));
      begin = end + at.length();
      end = string.indexOf(at, begin);
    }
    parts.add(UTF8String.fromString(string.substring(begin)));
    return new GenericArrayData(parts);
  }

  private static boolean isAscii(UTF8String text, String string) {
    return text.numBytes() == string.length();
  }

  /** The matches in a text from a position on, one after the other. */
  private static final class Matches {
    final String before;
    final String string;
    final RegularExpression expression;
    final RegularExpression.Search search;
    private int from = 0;

    Matches(UTF8String text, UTF8String pattern, int position, UTF8String flags) {
      if (position < 1) {
        throw PatternRefused.argument("A position counts from 1, found " + position + ".");
      }
      String whole = text.toString();
      boolean isAscii = isAscii(text, whole);
      int begin = 0;
      if (position > 1) {
        boolean beyond = position - 1 > whole.codePointCount(0, whole.length());
        begin = beyond ? -1 : whole.offsetByCodePoints(0, position - 1);
      }
      before = begin < 0 ? whole : whole.substring(0, begin);
      string = begin < 0 ? "" : whole.substring(begin);
      expression = RegularExpression.of(pattern, flags);
      search = expression.in(string, isAscii);
      from = begin < 0 ? 1 : 0;
    }

    boolean next() {
      if (from > string.length() || !search.find(from)) {
        from = string.length() + 1;
        return false;
      }
      from = search.after();
      return true;
    }

    boolean next(int occurrence) {
      if (occurrence < 1) {
        throw PatternRefused.argument("An occurrence counts from 1, found " + occurrence + ".");
      }
      for (int found = 0; found < occurrence; found++) {
        if (!next()) {
          return false;
        }
      }
      return true;
    }

    /** Return which group is meant, -1 for one that the pattern has not. */
    int group(int asked) {
      int groups = search.groups();
      if (asked < 0) {
        return Math.min(groups, 1);
      }
      return asked <= groups ? asked : -1;
    }

    UTF8String text(int group) {
      int start = search.start(group);
      if (start < 0) {
        return UTF8String.EMPTY_UTF8;
      }
      return UTF8String.fromString(string.substring(start, search.end(group)));
    }
  }

  /** A replacement, read once: texts and groups in turns. */
  private static final class Replacement {
    private final List<Object> parts = new ArrayList<>();
    private final Matches matches;

    Replacement(String written, Matches matches) {
      this.matches = matches;
      StringBuilder plain = new StringBuilder();
      for (int at = 0; at < written.length(); at++) {
        char character = written.charAt(at);
        if (character == '\\' && at + 1 < written.length()) {
          character = written.charAt(++at);
          if (character >= '0' && character <= '9') {
            parts.add(plain.toString());
            parts.add(known(character - '0'));
            plain.setLength(0);
            continue;
          }
        }
        plain.append(character);
      }
      parts.add(plain.toString());
    }

    private Integer known(int group) {
      int groups = matches.search.groups();
      if (group > groups) {
        String reason = "the replacement has \\" + group + " and the pattern " + groups + " groups";
        throw new PatternRefused(reason).asError(matches.expression.source());
      }
      return group;
    }

    void addTo(StringBuilder result) {
      for (Object part : parts) {
        if (part instanceof Integer group) {
          int start = matches.search.start(group);
          if (start >= 0) {
            result.append(matches.string, start, matches.search.end(group));
          }
        } else {
          result.append(part);
        }
      }
    }
  }
}
