package icemelt.spark;

import com.fasterxml.jackson.core.io.NumberInput;
import com.fasterxml.jackson.core.io.schubfach.DoubleToDecimal;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import org.apache.spark.unsafe.types.UTF8String;

/** Numbers in texts of files, and as texts. */
public final class Numbers {
  private static final int DIGITS = 10;
  private static final int FRACTION = 9;
  private static final int MOST_DIGITS = 15;
  private static final MathContext ROUNDED = new MathContext(DIGITS, RoundingMode.HALF_EVEN);
  private static final double LEAST_PLAIN = 1e-5;
  private static final double MOST_PLAIN = 1e15;

  private Numbers() {}

  /**
   * Returns a number as Snowflake writes it: with nine digits after the point, fifteen in all, or
   * ten digits where it is less than one or has an exponent; and no zeros at the end.
   */
  public static UTF8String doubleText(double number) {
    return UTF8String.fromString(write(number));
  }

  private static String write(double number) {
    double size = Math.abs(number);
    if (Double.isNaN(number)) {
      return "NaN";
    }
    if (Double.isInfinite(number)) {
      return number > 0 ? "inf" : "-inf";
    }
    if (size < MOST_PLAIN && number == Math.rint(number)) {
      return Long.toString((long) number);
    }
    String quick = size < MOST_PLAIN && size >= LEAST_PLAIN ? writeShortest(size) : null;
    if (quick != null) {
      return number < 0 ? "-" + quick : quick;
    }
    BigDecimal exact = new BigDecimal(number);
    if (size >= LEAST_PLAIN && size < MOST_PLAIN) {
      int whole = exact.precision() - exact.scale();
      int fraction = size >= 1 ? Math.min(FRACTION, MOST_DIGITS - whole) : DIGITS - whole;
      return exact.setScale(fraction, RoundingMode.HALF_EVEN).stripTrailingZeros().toPlainString();
    }
    BigDecimal rounded = exact.round(ROUNDED).stripTrailingZeros();
    int exponent = rounded.precision() - rounded.scale() - 1;
    String mantissa = rounded.movePointLeft(exponent).toPlainString();
    return mantissa + String.format("e%s%02d", exponent < 0 ? "-" : "+", Math.abs(exponent));
  }

  /**
   * Returns the text of a number above 0 by rounding its shortest text, in a fraction of the time;
   * null where that has an exponent, or may be another than the exact number rounded.
   *
   * <p>A text with fewer digits than the shortest one stands for another number. So no half of the
   * last digit that is kept lies between the number and its shortest text, unless it is that text.
   */
  private static String writeShortest(double number) {
    String shortest = DoubleToDecimal.toString(number);
    int point = shortest.indexOf('.');
    if (shortest.indexOf('E') >= 0) {
      return null;
    }
    int first = point + 1;
    while (shortest.charAt(first) == '0' && first + 1 < shortest.length()) {
      first++;
    }
    int fraction =
        number >= 1 ? Math.min(FRACTION, MOST_DIGITS - point) : DIGITS + first - point - 1;
    int end = point + 1 + fraction;
    if (end >= shortest.length()) {
      return shortest;
    }
    if (end + 1 == shortest.length() && shortest.charAt(end) == '5') {
      return null;
    }
    long digits = Long.parseLong(shortest.substring(0, point) + shortest.substring(point + 1, end));
    long rounded = shortest.charAt(end) >= '5' ? digits + 1 : digits;
    return BigDecimal.valueOf(rounded, fraction).stripTrailingZeros().toPlainString();
  }

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
