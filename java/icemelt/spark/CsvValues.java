package icemelt.spark;

import org.apache.spark.unsafe.types.UTF8String;

/** Texts of files: whether they are what their bytes say. */
public final class CsvValues {
  // U+FFFD in UTF-8, which stands for bytes that are no character
  private static final byte REPLACEMENT_START = (byte) 0xEF;
  private static final byte[] REPLACEMENT_REST = {(byte) 0xBF, (byte) 0xBD};

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
   * Returns whether a value, or its record, may be another one where the file is read line by line:
   * a value with a control character other than a tab, or with bytes that are no UTF-8.
   *
   * @param isFirst whether the value is the record's first; one of spaces or nothing may be a blank
   *     line
   */
  public static boolean isOdd(UTF8String value, boolean isFirst) {
    boolean isBlank = isFirst;
    for (int at = 0; at < value.numBytes(); at++) {
      byte each = value.getByte(at);
      if (each >= 0 && each < ' ' && each != '\t') {
        return true;
      }
      if (each == REPLACEMENT_START && isReplacement(value, at)) {
        return true;
      }
      isBlank &= each == ' ' || each == '\t';
    }
    return isBlank;
  }

  private static boolean isReplacement(UTF8String text, int at) {
    return at + REPLACEMENT_REST.length < text.numBytes()
        && text.getByte(at + 1) == REPLACEMENT_REST[0]
        && text.getByte(at + 2) == REPLACEMENT_REST[1];
  }
}
