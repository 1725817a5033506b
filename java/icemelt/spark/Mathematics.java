package icemelt.spark;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.SplittableRandom;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Functions of numbers with a point. Where the arguments are finite and the result is not, there is
 * an error, as in Snowflake. None is called with a NULL.
 */
public final class Mathematics {
  private static final int MOST_DIGITS = 38;
  private static final int LARGEST_FACTORIAL = 33;
  /** In kilometres. */
  private static final double RADIUS_OF_EARTH = 6371;
  private static final double MOST_SCALE = 300;
  /** From here on 1 is lost in the square of a double. */
  private static final double LARGE = 1e9;
  /** From here on a double has no digits after the point. */
  private static final double WHOLE = 4503599627370496.0;

  private Mathematics() {}

  public static double acos(double number) {
    return finite("ACOS", Math.acos(number), number);
  }

  public static double acosh(double number) {
    return finite("ACOSH", Math.log(number + Math.sqrt(number * number - 1)), number);
  }

  public static double asin(double number) {
    return finite("ASIN", Math.asin(number), number);
  }

  /** Returns the inverse of SINH; Spark's own loses digits below 0 and near it. */
  public static double asinh(double number) {
    double size = Math.abs(number);
    double result =
        size > LARGE
            ? Math.log(size) + Math.log(2)
            : Math.log1p(size + size * size / (1 + Math.hypot(size, 1)));
    return Math.copySign(result, number);
  }

  public static double atanh(double number) {
    return finite("ATANH", 0.5 * (Math.log1p(number) - Math.log1p(-number)), number);
  }

  public static double cosh(double number) {
    return finite("COSH", Math.cosh(number), number);
  }

  public static double cot(double number) {
    return finite("COT", 1 / Math.tan(number), number);
  }

  public static double exp(double number) {
    return finite("EXP", StrictMath.exp(number), number);
  }

  public static double ln(double number) {
    return finite("LN", StrictMath.log(number), number);
  }

  /** Returns the logarithm of a number; powers of a base such as 10 give whole numbers. */
  public static double log(double base, double number) {
    double logarithm = StrictMath.log(number) / StrictMath.log(base);
    double whole = Math.rint(logarithm);
    boolean isWhole = Math.abs(logarithm - whole) < 1e-9 && Math.pow(base, whole) == number;
    return finite("LOG", isWhole ? whole : logarithm, base, number);
  }

  public static double power(double base, double exponent) {
    return finite("POWER", StrictMath.pow(base, exponent), base, exponent);
  }

  public static double sinh(double number) {
    return finite("SINH", Math.sinh(number), number);
  }

  public static double sqrt(double number) {
    return finite("SQRT", Math.sqrt(number), number);
  }

  private static double finite(String name, double result, double... arguments) {
    if (Double.isFinite(result)) {
      return result;
    }
    StringBuilder found = new StringBuilder();
    for (double argument : arguments) {
      if (!Double.isFinite(argument)) {
        return result;
      }
      found.append(found.length() == 0 ? "" : ", ").append(Numbers.doubleText(argument));
    }
    throw PatternRefused.argument(
        name + " has no value for " + found + ".", "Leave such rows out: WHERE, or IFF(…, NULL, x).");
  }

  /** Returns 1 · 2 · … · number. */
  public static Decimal factorial(long number) {
    if (number < 0 || number > LARGEST_FACTORIAL) {
      throw PatternRefused.argument(
          "FACTORIAL takes 0 to 33, found " + number + ".", "Leave such rows out, by WHERE.");
    }
    BigInteger product = BigInteger.ONE;
    for (long factor = 2; factor <= number; factor++) {
      product = product.multiply(BigInteger.valueOf(factor));
    }
    return Decimal.apply(new BigDecimal(product), MOST_DIGITS, 0);
  }

  /** Returns the kilometres between two places on Earth, which are given in degrees. */
  public static double haversine(double latitude, double longitude, double other, double east) {
    double from = Math.toRadians(latitude);
    double to = Math.toRadians(other);
    double up = Math.sin((to - from) / 2);
    double along = Math.sin(Math.toRadians(east - longitude) / 2);
    double square = up * up + Math.cos(from) * Math.cos(to) * along * along;
    return 2 * RADIUS_OF_EARTH * Math.asin(Math.sqrt(Math.min(square, 1)));
  }

  /** Returns in which of several buckets of one width a number is: 0 is before the first. */
  public static long bucket(double number, double low, double high, long count) {
    if (count < 1 || !(low < high)) {
      throw PatternRefused.argument(
          "WIDTH_BUCKET takes a lower and an upper bound and one bucket or more, found "
              + Numbers.doubleText(low)
              + ", "
              + Numbers.doubleText(high)
              + ", "
              + count
              + ".",
          "Write WIDTH_BUCKET(value, 0, 100, 10).");
    }
    if (number < low) {
      return 0;
    }
    return number >= high ? count + 1 : (long) ((number - low) * count / (high - low)) + 1;
  }

  /** Returns a number rounded to digits after the point, halves away from zero. */
  public static double round(double number, int digits) {
    return scaled(number, digits, each -> Math.copySign(Math.floor(Math.abs(each) + 0.5), each));
  }

  /** Returns a number rounded to digits after the point, halves to the even digit. */
  public static double roundEven(double number, int digits) {
    return scaled(number, digits, Math::rint);
  }

  /** Returns an exact number, as text, of fewer digits after the point, in one of Java's modes. */
  public static UTF8String rounded(UTF8String number, int digits, UTF8String mode) {
    BigDecimal exact = new BigDecimal(number.toString());
    int kept = Math.max(-MOST_DIGITS, Math.min(digits, exact.scale()));
    RoundingMode rounding = RoundingMode.valueOf(mode.toString());
    return UTF8String.fromString(exact.setScale(kept, rounding).toPlainString());
  }

  public static double ceil(double number, int digits) {
    return scaled(number, digits, Math::ceil);
  }

  public static double floor(double number, int digits) {
    return scaled(number, digits, Math::floor);
  }

  public static double truncate(double number, int digits) {
    return scaled(number, digits, each -> each < 0 ? Math.ceil(each) : Math.floor(each));
  }

  private static double scaled(
      double number, int digits, java.util.function.DoubleUnaryOperator cut) {
    double factor = Math.pow(10, Math.min(Math.abs(digits), MOST_SCALE));
    double scaled = digits < 0 ? number / factor : number * factor;
    if (!Double.isFinite(scaled) || digits >= 0 && Math.abs(scaled) >= WHOLE) {
      return number;
    }
    double whole = cut.applyAsDouble(scaled);
    return digits < 0 ? whole * factor : whole / factor;
  }

  /** Returns a number of the normal distribution that a seed decides. */
  public static double normal(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double length = Math.sqrt(-2 * Math.log(1 - random.nextDouble()));
    return length * Math.cos(2 * Math.PI * random.nextDouble());
  }

  /** Returns a number from 0 to less than 1 that a seed decides. */
  public static double uniform(long seed) {
    return new SplittableRandom(seed).nextDouble();
  }
}
