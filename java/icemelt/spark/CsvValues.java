package icemelt.spark;

import org.apache.spark.unsafe.types.UTF8String;

/** Values of CSV files that are read as streams. */
public final class CsvValues {
  private CsvValues() {}

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
      // U+FFFD, which stands for such bytes
      if (each == (byte) 0xEF
          && at + 2 < value.numBytes()
          && value.getByte(at + 1) == (byte) 0xBF
          && value.getByte(at + 2) == (byte) 0xBD) {
        return true;
      }
      isBlank &= each == ' ' || each == '\t';
    }
    return isBlank;
  }
}
