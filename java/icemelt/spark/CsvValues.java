package icemelt.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.unsafe.types.UTF8String;

/** Texts of files: whether they are what their bytes say, and how they are written. */
public final class CsvValues {
  // U+FFFD in UTF-8, which stands for bytes that are no character
  private static final byte REPLACEMENT_START = (byte) 0xEF;
  private static final byte[] REPLACEMENT_REST = {(byte) 0xBF, (byte) 0xBD};

  private static final UTF8String LINE_FEED = UTF8String.fromString("\n");

  private CsvValues() {}

  /** Returns whether a text has bytes that are no character, or U+FFFD in place of some. */
  public static boolean hasReplaced(UTF8String text) {
    if (text.isFullAscii()) {
      return false;
    }
    for (int at = 0; at < text.numBytes(); at++) {
      if (text.getByte(at) == REPLACEMENT_START && isReplacement(text, at)) {
        return true;
      }
    }
    return !text.isValid();
  }

  /**
   * Returns a text as a value outside of quotes, from which it is read back.
   *
   * @param escape the character before a sign that is none
   * @param delimiter the text between values
   * @param recordEnd the text that ends a record; a line feed for a carriage return, too
   */
  public static UTF8String escape(
      UTF8String text, UTF8String escape, UTF8String delimiter, UTF8String recordEnd) {
    List<String> signs = new ArrayList<>();
    // behind the escape character, two line ends are one sign
    if (recordEnd.equals(LINE_FEED)) {
      signs.addAll(List.of("\r\n", "\n", "\r"));
    } else {
      signs.add(recordEnd.toString());
    }
    signs.add(escape.toString());
    signs.add(delimiter.toString());
    String given = text.toString();
    StringBuilder written = new StringBuilder();
    for (int at = 0; at < given.length(); ) {
      int length = signLength(given, at, signs);
      if (length > 0) {
        written.append(escape);
      }
      int kept = Math.max(length, 1);
      written.append(given, at, at + kept);
      at += kept;
    }
    return UTF8String.fromString(written.toString());
  }

  private static int signLength(String text, int at, List<String> signs) {
    for (String sign : signs) {
      if (!sign.isEmpty() && text.startsWith(sign, at)) {
        return sign.length();
      }
    }
    return 0;
  }

  private static boolean isReplacement(UTF8String text, int at) {
    return at + REPLACEMENT_REST.length < text.numBytes()
        && text.getByte(at + 1) == REPLACEMENT_REST[0]
        && text.getByte(at + 2) == REPLACEMENT_REST[1];
  }
}
