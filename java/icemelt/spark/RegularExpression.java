package icemelt.spark;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

/**
 * A regular expression in RE2's syntax. RE2/J answers each in linear time; where java.util.regex
 * gives the same answer, it is asked first, for it is ten times as fast, and for as long as it
 * reads few characters.
 */
final class RegularExpression {
  private static final Memory<RegularExpression> MEMORY = new Memory<>(RegularExpression::new);
  /** So many ways to try a pattern cost less than to count what is read. */
  private static final int FEW_WAYS = 20_000;
  private static final int STEPS_A_CHARACTER = 64;
  private static final int STEPS_AT_LEAST = 4096;

  private final String source;
  private final String flags;
  private final java.util.regex.Pattern fast;
  private final double choices;
  private final int loops;
  private final int groups;
  private volatile Pattern linear;
  private volatile boolean slow;

  private RegularExpression(String source, String flags) {
    this.source = source;
    this.flags = flags;
    try {
      PatternReader reader = new PatternReader(source, flags);
      String simple = reader.read();
      this.choices = reader.choices();
      this.loops = reader.loops();
      this.fast = simple == null ? null : java.util.regex.Pattern.compile(simple, javaFlags());
      if (fast == null) {
        this.linear = compile();
        this.groups = linear.groupCount();
      } else {
        this.groups = fast.matcher("").groupCount();
      }
    } catch (PatternRefused refused) {
      throw refused.asError(source);
    }
  }

  /**
   * Return the expression of a pattern.
   *
   * @param flags some of i, m and s
   */
  static RegularExpression of(org.apache.spark.unsafe.types.UTF8String pattern,
      org.apache.spark.unsafe.types.UTF8String flags) {
    return MEMORY.get(pattern, flags);
  }

  String source() {
    return source;
  }

  private int javaFlags() {
    int ignoringCase = has('i') ? java.util.regex.Pattern.CASE_INSENSITIVE : 0;
    return java.util.regex.Pattern.DOTALL | ignoringCase;
  }

  private boolean has(char flag) {
    return flags.indexOf(flag) >= 0;
  }

  private Pattern compile() {
    int all = (has('i') ? Pattern.CASE_INSENSITIVE : 0)
        | (has('m') ? Pattern.MULTILINE : 0)
        | (has('s') ? Pattern.DOTALL : 0);
    try {
      return Pattern.compile(source, all);
    } catch (PatternSyntaxException error) {
      throw new PatternRefused(error.getDescription());
    } catch (StackOverflowError error) {
      throw new PatternRefused("it is too large");
    }
  }

  private Pattern linear() {
    if (linear == null) {
      linear = compile();
    }
    return linear;
  }

  Search in(String text, boolean isAscii) {
    return new Search(text, isAscii);
  }

  /** The expression on one text. Positions are those of Java's strings. */
  final class Search {
    private final String text;
    private boolean quickly;
    private java.util.regex.Matcher quick;
    private com.google.re2j.Matcher sure;

    private Search(String text, boolean isAscii) {
      this.text = text;
      // of letters beyond ASCII the two have other ideas of case
      quickly = fast != null && (isAscii || !has('i'));
    }

    boolean matches() {
      if (isQuick(loops)) {
        try {
          return quick.matches();
        } catch (WatchedText.TooManySteps | StackOverflowError tooMuch) {
          giveUp();
        }
      }
      try {
        return sure().matches();
      } catch (StackOverflowError error) {
        throw new PatternRefused("it is too large").asError(source);
      }
    }

    /** Find the first match from a position on. */
    boolean find(int from) {
      // a match may begin anywhere: one more loop
      if (isQuick(loops + 1)) {
        try {
          return quick.find(from);
        } catch (WatchedText.TooManySteps | StackOverflowError tooMuch) {
          giveUp();
        }
      }
      try {
        return sure().find(from);
      } catch (StackOverflowError error) {
        throw new PatternRefused("it is too large").asError(source);
      }
    }

    /** Return where to look for the next match. */
    int after() {
      int end = end(0);
      if (end > start(0) || end >= text.length()) {
        return end == start(0) ? end + 1 : end;
      }
      return end + Character.charCount(text.codePointAt(end));
    }

    /** Return where a group begins, -1 where it took no part in the match. */
    int start(int group) {
      return quick != null ? quick.start(group) : sure.start(group);
    }

    int end(int group) {
      return quick != null ? quick.end(group) : sure.end(group);
    }

    int groups() {
      return groups;
    }

    /** Tell whether to ask java.util.regex, which then is ready. */
    private boolean isQuick(int loops) {
      if (quickly && quick == null) {
        boolean few = choices * Math.pow(text.length() + 1, loops) <= FEW_WAYS;
        quickly = few || !slow;
        long steps = STEPS_AT_LEAST + (long) STEPS_A_CHARACTER * text.length();
        quick = quickly ? fast.matcher(few ? text : new WatchedText(text, steps)) : null;
      }
      return quickly;
    }

    private void giveUp() {
      slow = true;
      quickly = false;
      quick = null;
    }

    private com.google.re2j.Matcher sure() {
      if (sure == null) {
        sure = linear().matcher(new WatchedText(text, Long.MAX_VALUE));
      }
      return sure;
    }
  }
}
