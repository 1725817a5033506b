package icemelt.spark;

import java.util.Arrays;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.errors.QueryCompilationErrors;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * LIKE in which a pattern goes back to its last % at most: its time is that of the text by that of
 * the pattern. It works on bytes, for UTF-8 does not split characters between these.
 *
 * <p>Options are c or i, for whether case counts, and the escape character, if there is one.
 */
public final class Likes {
  private static final int ANY_CHARACTER = 256;
  private static final int ANY_TEXT = 257;
  private static final int UNTIL_CHECK = 1 << 16;
  private static final Memory<int[]> MEMORY = new Memory<>(Likes::compile);

  private Likes() {}

  /** Tell whether a text is like a pattern. */
  public static boolean like(UTF8String text, UTF8String pattern, UTF8String options) {
    return matches(subject(text, options), MEMORY.get(pattern, options));
  }

  /** Tell whether a text is like one of the patterns; with a NULL among them as OR does. */
  public static Boolean any(UTF8String text, ArrayData patterns, UTF8String options) {
    return some(text, patterns, options, true);
  }

  /** Tell whether a text is like all of the patterns; with a NULL among them as AND does. */
  public static Boolean all(UTF8String text, ArrayData patterns, UTF8String options) {
    return some(text, patterns, options, false);
  }

  private static Boolean some(
      UTF8String text, ArrayData patterns, UTF8String options, boolean decisive) {
    UTF8String subject = subject(text, options);
    boolean hasNull = false;
    for (int at = 0; at < patterns.numElements(); at++) {
      if (patterns.isNullAt(at)) {
        hasNull = true;
      } else if (matches(subject, MEMORY.get(patterns.getUTF8String(at), options)) == decisive) {
        return decisive;
      }
    }
    return hasNull ? null : !decisive;
  }

  private static UTF8String subject(UTF8String text, UTF8String options) {
    boolean ignoringCase = options.numBytes() > 0 && options.getByte(0) == 'i';
    return ignoringCase ? text.toLowerCase() : text;
  }

  /** Return the bytes of a pattern, and what stands for any character and any text. */
  private static int[] compile(String pattern, String options) {
    int escape = options.length() > 1 ? options.codePointAt(1) : -1;
    // a letter may be longer in lower case
    int[] codes = new int[2 * 4 * pattern.length()];
    int size = 0;
    int at = 0;
    while (at < pattern.length()) {
      int character = pattern.codePointAt(at);
      at += Character.charCount(character);
      if (character == escape) {
        int next = at < pattern.length() ? pattern.codePointAt(at) : -1;
        refuseEscape(pattern, escape, next);
        at += Character.charCount(next);
        size = add(codes, size, next, options);
      } else if (character == '%') {
        if (size == 0 || codes[size - 1] != ANY_TEXT) {
          codes[size++] = ANY_TEXT;
        }
      } else if (character == '_') {
        codes[size++] = ANY_CHARACTER;
      } else {
        size = add(codes, size, character, options);
      }
    }
    return Arrays.copyOf(codes, size);
  }

  private static void refuseEscape(String pattern, int escape, int next) {
    try {
      if (next < 0) {
        throw QueryCompilationErrors.escapeCharacterAtTheEndError(pattern);
      }
      if (next != '%' && next != '_' && next != escape) {
        String character = Character.toString(next);
        throw QueryCompilationErrors.escapeCharacterInTheMiddleError(pattern, character);
      }
    } catch (RuntimeException | Error error) {
      throw error;
    } catch (Throwable error) {
      // Spark's analysis errors are checked ones to Java
      throw Likes.<RuntimeException>unchecked(error);
    }
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> E unchecked(Throwable error) throws E {
    throw (E) error;
  }

  private static int add(int[] codes, int size, int character, String options) {
    UTF8String bytes = UTF8String.fromString(Character.toString(character));
    UTF8String folded = subject(bytes, UTF8String.fromString(options));
    for (int at = 0; at < folded.numBytes(); at++) {
      codes[size++] = folded.getByte(at) & 0xff;
    }
    return size;
  }

  private static boolean matches(UTF8String text, int[] pattern) {
    Object base = text.getBaseObject();
    long offset = text.getBaseOffset();
    int length = text.numBytes();
    int at = 0;
    int next = 0;
    int again = -1;
    int begin = 0;
    int untilCheck = UNTIL_CHECK;
    while (at < length) {
      int code = next < pattern.length ? pattern[next] : -1;
      int found = Platform.getByte(base, offset + at) & 0xff;
      if (code == found) {
        at++;
        next++;
      } else if (code == ANY_CHARACTER) {
        at = Math.min(length, at + UTF8String.numBytesForFirstByte((byte) found));
        next++;
      } else if (code == ANY_TEXT) {
        again = ++next;
        begin = at;
        if (next == pattern.length) {
          return true;
        }
      } else if (again >= 0) {
        untilCheck -= at - begin + 1;
        begin += UTF8String.numBytesForFirstByte(Platform.getByte(base, offset + begin));
        at = begin;
        next = again;
        if (untilCheck < 0) {
          untilCheck = UNTIL_CHECK;
          WatchedText.refuseCancelled();
        }
      } else {
        return false;
      }
    }
    while (next < pattern.length && pattern[next] == ANY_TEXT) {
      next++;
    }
    return next == pattern.length;
  }
}
