package icemelt.spark;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.IntPredicate;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/** Functions of texts, and of bytes, as Snowflake's. None is called with a NULL. */
public final class Texts {
  private static final String CODES = "01230120022455012623010202";
  private static final int CODE_LENGTH = 4;
  private static final String LETTERS =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final int LONGEST_PREFIX = 4;
  private static final double PREFIX_WEIGHT = 0.1;
  private static final double LEAST_TO_WEIGH = 0.7;

  private static final String ENDS = "!?@\"^#$&~_,.:;+-*%/|\\[](){}<>";

  private Texts() {}

  /** Returns a text with some of its characters replaced by another text. */
  public static UTF8String insert(UTF8String text, int position, int length, UTF8String other) {
    int begin = byteAfter(text, 0, position - 1);
    int end = begin < 0 ? -1 : byteAfter(text, begin, length);
    if (end < 0) {
      checkInsert(position, length, text.numChars());
    }
    int rest = text.numBytes() - end;
    byte[] made = new byte[begin + other.numBytes() + rest];
    Object base = text.getBaseObject();
    long from = text.getBaseOffset();
    long to = Platform.BYTE_ARRAY_OFFSET;
    Platform.copyMemory(base, from, made, to, begin);
    other.writeToMemory(made, to + begin);
    Platform.copyMemory(base, from + end, made, to + made.length - rest, rest);
    return UTF8String.fromBytes(made);
  }

  /** Returns where a text goes on after some characters from a byte; -1 where it has fewer. */
  private static int byteAfter(UTF8String text, int from, int characters) {
    int at = characters < 0 ? -1 : from;
    for (int left = characters; left > 0 && at >= 0; left--) {
      at = at < text.numBytes() ? at + UTF8String.numBytesForFirstByte(text.getByte(at)) : -1;
    }
    // the last character may be cut off
    return Math.min(at, text.numBytes());
  }

  /** Returns a binary with some of its bytes replaced by another binary. */
  public static byte[] insertBytes(byte[] bytes, int position, int length, byte[] other) {
    checkInsert(position, length, bytes.length);
    int end = position - 1 + length;
    return ByteBuffer.allocate(bytes.length - length + other.length)
        .put(bytes, 0, position - 1)
        .put(other)
        .put(bytes, end, bytes.length - end)
        .array();
  }

  private static void checkInsert(int position, int length, int size) {
    if (position < 1 || position - 1 > size) {
      throw PatternRefused.argument(
          "INSERT takes a position from 1 to one behind the end, found " + position + ".",
          "Write 1 for the begin, LENGTH(text) + 1 for the end.");
    }
    if (length < 0 || length > size - position + 1) {
      throw PatternRefused.argument(
          "INSERT replaces what is there, found a length of " + length + ".",
          "Write 0 to replace nothing, or LEAST(n, LENGTH(text) - position + 1).");
    }
  }

  /** Returns the bytes in the other order. */
  public static byte[] reverseBytes(byte[] bytes) {
    byte[] reversed = new byte[bytes.length];
    for (int at = 0; at < bytes.length; at++) {
      reversed[at] = bytes[bytes.length - 1 - at];
    }
    return reversed;
  }

  /** Returns the character of a code point. */
  public static UTF8String character(long point) {
    boolean isHalf = point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
    if (point < 0 || point > Character.MAX_CODE_POINT || isHalf) {
      throw PatternRefused.argument(
          "The number " + point + " is no code point of a character.",
          "CHR takes 0 to 55295 and 57344 to 1114111.");
    }
    return UTF8String.fromString(Character.toString((int) point));
  }

  /**
   * Returns a part of a text between delimiters, each a character, from 1 on; null where there is
   * none. Parts are not empty. Without delimiters the whole text is the only part.
   */
  public static UTF8String token(UTF8String text, UTF8String delimiters, long number) {
    String between = delimiters.toString();
    String whole = text.toString();
    long left = number;
    int start = 0;
    while (start < whole.length() && left > 0) {
      int end = start;
      while (end < whole.length() && between.indexOf(whole.codePointAt(end)) < 0) {
        end += Character.charCount(whole.codePointAt(end));
      }
      if (end > start && --left == 0) {
        return UTF8String.fromString(whole.substring(start, end));
      }
      start = end < whole.length() ? end + Character.charCount(whole.codePointAt(end)) : end;
    }
    return null;
  }


  /** Returns a text with a capital at its begin, and behind each blank and punctuation mark. */
  public static UTF8String initcap(UTF8String text) {
    return capitalize(text, point -> Character.isWhitespace(point) || ENDS.indexOf(point) >= 0);
  }

  /** Returns a text with a capital at its begin, and behind each of the delimiters. */
  public static UTF8String initcapAt(UTF8String text, UTF8String delimiters) {
    String ends = delimiters.toString();
    return capitalize(text, point -> ends.indexOf(point) >= 0);
  }

  private static UTF8String capitalize(UTF8String text, IntPredicate isEnd) {
    StringBuilder result = new StringBuilder();
    boolean isFirst = true;
    for (int point : text.toString().codePoints().toArray()) {
      String letter = Character.toString(point);
      result.append(isFirst ? letter.toUpperCase(Locale.ROOT) : letter.toLowerCase(Locale.ROOT));
      isFirst = isEnd.test(point);
    }
    return UTF8String.fromString(result.toString());
  }

  /** Returns the Soundex code in which the second letter counts though it sounds as the first. */
  public static UTF8String soundexP123(UTF8String text) {
    String string = text.toString();
    if (string.isEmpty() || codeOf(string.charAt(0)) == 0) {
      return text;
    }
    StringBuilder code = new StringBuilder(string.substring(0, 1).toUpperCase(Locale.ROOT));
    char last = '0';
    for (int at = 1; at < string.length() && code.length() < CODE_LENGTH; at++) {
      char letter = Character.toUpperCase(string.charAt(at));
      char digit = codeOf(letter);
      if (digit > '0' && digit != last) {
        code.append(digit);
      }
      last = digit == 0 || letter == 'H' || letter == 'W' ? last : digit;
    }
    code.append("0".repeat(CODE_LENGTH - code.length()));
    return UTF8String.fromString(code.toString());
  }

  private static char codeOf(char letter) {
    char upper = Character.toUpperCase(letter);
    return upper >= 'A' && upper <= 'Z' ? CODES.charAt(upper - 'A') : 0;
  }

  /** Returns the Jaro-Winkler similarity of two texts in any case, from 0 to 100. */
  public static int similarity(UTF8String first, UTF8String second) {
    int[] left = first.toString().toLowerCase(Locale.ROOT).codePoints().toArray();
    int[] right = second.toString().toLowerCase(Locale.ROOT).codePoints().toArray();
    double similarity = jaro(left, right);
    if (similarity > LEAST_TO_WEIGH) {
      int prefix = 0;
      int most = Math.min(LONGEST_PREFIX, Math.min(left.length, right.length));
      while (prefix < most && left[prefix] == right[prefix]) {
        prefix++;
      }
      similarity += prefix * PREFIX_WEIGHT * (1 - similarity);
    }
    return (int) (similarity * 100);
  }

  private static double jaro(int[] left, int[] right) {
    int reach = Math.max(Math.max(left.length, right.length) / 2 - 1, 0);
    boolean[] isTaken = new boolean[right.length];
    int[] matched = new int[left.length];
    int matches = 0;
    for (int at = 0; at < left.length; at++) {
      int found = find(right, left[at], isTaken, at - reach, at + reach);
      if (found >= 0) {
        isTaken[found] = true;
        matched[matches++] = left[at];
      }
    }
    if (matches == 0) {
      return 0;
    }
    int moved = 0;
    int next = 0;
    for (int at = 0; at < right.length; at++) {
      if (isTaken[at]) {
        moved += right[at] == matched[next++] ? 0 : 1;
      }
    }
    double count = matches;
    return (count / left.length + count / right.length + (count - moved / 2) / count) / 3;
  }

  private static int find(int[] text, int wanted, boolean[] isTaken, int from, int last) {
    for (int at = Math.max(from, 0); at <= Math.min(last, text.length - 1); at++) {
      if (text[at] == wanted && !isTaken[at]) {
        return at;
      }
    }
    return -1;
  }

  /** Returns the UUID of version 5 for a name in a name space. */
  public static UTF8String namedUuid(UTF8String space, UTF8String name) {
    byte[] text = name.getBytes();
    UUID parent = uuid(space.toString());
    byte[] bytes =
        ByteBuffer.allocate(2 * Long.BYTES + text.length)
            .putLong(parent.getMostSignificantBits())
            .putLong(parent.getLeastSignificantBits())
            .put(text)
            .array();
    ByteBuffer hash = ByteBuffer.wrap(sha1(bytes));
    long high = hash.getLong() & 0xFFFFFFFFFFFF0FFFL | 0x5000L;
    long low = hash.getLong() & 0x3FFFFFFFFFFFFFFFL | 0x8000000000000000L;
    return UTF8String.fromString(new UUID(high, low).toString());
  }

  private static UUID uuid(String text) {
    try {
      return UUID.fromString(text);
    } catch (IllegalArgumentException error) {
      throw PatternRefused.argument(
          "UUID_STRING takes a UUID as name space, found '" + text + "'.",
          "Write UUID_STRING('fe971b24-9572-4005-b22f-351e9c09274d', name).");
    }
  }

  private static byte[] sha1(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-1").digest(bytes);
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException(error);
    }
  }

  /** Returns a text of letters and digits that a seed decides. */
  public static UTF8String randomText(int length, long seed) {
    byte[] text = new byte[Math.max(length, 0)];
    SplittableRandom random = new SplittableRandom(seed);
    byte[] letters = LETTERS.getBytes(StandardCharsets.US_ASCII);
    for (int at = 0; at < text.length; at++) {
      text[at] = letters[random.nextInt(letters.length)];
    }
    return UTF8String.fromBytes(text);
  }
}
