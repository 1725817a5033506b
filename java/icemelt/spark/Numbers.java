package icemelt.spark;

import com.fasterxml.jackson.core.io.NumberInput;
import org.apache.spark.unsafe.types.UTF8String;

/** Numbers in texts of files. */
public final class Numbers {
  private Numbers() {}

  /**
   * Returns the number that Java's own parser finds in a text, several times as fast; null where
   * the text is more than a sign, digits, a point and an exponent, as {@code NaN} or {@code 1d}.
   */
  public static Double plainDouble(UTF8String text) {
    return isPlain(text) ? NumberInput.parseDouble(text.toString(), true) : null;
  }

  private static boolean isPlain(UTF8String text) {
    int end = text.numBytes();
    int start = skipSign(text, 0, end);
    int point = skipDigits(text, start, end);
    int digits = point - start;
    int at = point;
    if (at < end && text.getByte(at) == '.') {
      at = skipDigits(text, at + 1, end);
      digits += at - point - 1;
    }
    if (digits > 0 && at < end && (text.getByte(at) | 0x20) == 'e') {
      int exponent = skipSign(text, at + 1, end);
      at = skipDigits(text, exponent, end);
      digits = at - exponent;
    }
    return at == end && digits > 0;
  }

  private static int skipSign(UTF8String text, int at, int end) {
    boolean isSign = at < end && (text.getByte(at) == '-' || text.getByte(at) == '+');
    return isSign ? at + 1 : at;
  }

  private static int skipDigits(UTF8String text, int at, int end) {
    while (at < end && text.getByte(at) >= '0' && text.getByte(at) <= '9') {
      at++;
    }
    return at;
  }
}
