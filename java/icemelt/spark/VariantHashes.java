package icemelt.spark;

import com.fasterxml.jackson.core.io.schubfach.DoubleToDecimal;
import com.fasterxml.jackson.core.io.schubfach.FloatToDecimal;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.types.variant.Variant;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.unsafe.types.VariantVal;

/**
 * Hashes of 64 bits, equal for values whose keys of {@link VariantKeys} are equal, without a key
 * being made of numbers and texts.
 *
 * <p>A whole number that fits in a long has the hash of the long. Another number that is the shortest
 * text of a double has the hash of the double's bits, and each other one that of its key:
 *
 * <pre>
 * 2, 2.0, 2e0, 2.00 as DECIMAL    of the long 2
 * 0.1, 0.10 as DECIMAL            of the bits of the double 0.1
 * 0.1000000000000000000001        of the key
 * </pre>
 */
public final class VariantHashes {
  // so that a number, its bits and a text of as many bytes have other hashes
  private static final long OF_WHOLE = 1;
  private static final long OF_BITS = 2;
  private static final long OF_TEXT = 3;
  private static final long OF_KEY = 4;

  /** Whole numbers below it are doubles, each of them. */
  private static final double WHOLE_DOUBLES = 1L << 53;

  /** A number of fewer digits is the shortest text of the double next to it. */
  private static final long MOST_EXACT = 1_000_000_000_000_000L;

  private static final long[] POWERS = new long[Decimal.MAX_LONG_DIGITS() + 1];

  static {
    POWERS[0] = 1;
    for (int at = 1; at < POWERS.length; at++) {
      POWERS[at] = 10 * POWERS[at - 1];
    }
  }

  private VariantHashes() {}

  /** Returns the hash of a whole number. */
  public static long ofLong(long number) {
    return XXH64.hashLong(number, OF_WHOLE);
  }

  /** Returns the hash of a number. */
  public static long ofDouble(double number) {
    if (number == Math.rint(number) && Math.abs(number) < WHOLE_DOUBLES) {
      return ofLong((long) number);
    }
    boolean isLarge = Math.abs(number) >= WHOLE_DOUBLES && !Double.isInfinite(number);
    return isLarge ? ofExact(new BigDecimal(DoubleToDecimal.toString(number))) : ofBits(number);
  }

  /** Returns the hash of an exact number. */
  public static long ofDecimal(Decimal number) {
    int scale = number.scale();
    if (number.precision() > Decimal.MAX_LONG_DIGITS() || scale < 0 || scale >= POWERS.length) {
      return ofExact(number.toJavaBigDecimal());
    }
    long digits = number.toUnscaledLong();
    long power = POWERS[scale];
    if (digits % power == 0) {
      return ofLong(digits / power);
    }
    // both are doubles without a loss, and so is their quotient next to the number
    return Math.abs(digits) < MOST_EXACT
        ? ofBits((double) digits / power)
        : ofExact(number.toJavaBigDecimal());
  }

  /** Returns the hash of a text. */
  public static long ofText(UTF8String text) {
    return XXH64.hashUnsafeBytes(
        text.getBaseObject(), text.getBaseOffset(), text.numBytes(), OF_TEXT);
  }

  /** Returns the hash of a key of {@link VariantKeys#key} that is no number's and no text's. */
  public static long ofKey(byte[] key) {
    return XXH64.hashUnsafeBytes(key, Platform.BYTE_ARRAY_OFFSET, key.length, OF_KEY);
  }

  /** Returns the hash of a variant: of a number and a text, that of the value outside of one. */
  public static long ofVariant(VariantVal value) {
    Variant variant = new Variant(value.getValue(), value.getMetadata());
    return switch (variant.getType()) {
      case LONG -> ofLong(variant.getLong());
      case DECIMAL -> ofExact(variant.getDecimal());
      case DOUBLE -> ofDouble(variant.getDouble());
      case FLOAT -> ofFloat(variant.getFloat());
      case STRING -> {
        byte[] text = variant.getString().getBytes(StandardCharsets.UTF_8);
        yield ofText(UTF8String.fromBytes(text));
      }
      default -> ofKey(VariantKeys.key(value));
    };
  }

  private static long ofFloat(float number) {
    // the number that its shortest text says
    boolean isFinite = Float.isFinite(number);
    return ofDouble(isFinite ? Double.parseDouble(FloatToDecimal.toString(number)) : number);
  }

  private static long ofBits(double number) {
    return XXH64.hashLong(Double.doubleToLongBits(number), OF_BITS);
  }

  private static long ofExact(BigDecimal number) {
    BigDecimal plain = number.stripTrailingZeros();
    boolean isWhole = plain.scale() <= 0;
    if (isWhole && plain.precision() - plain.scale() < POWERS.length + 1) {
      long whole = plain.longValue();
      if (BigDecimal.valueOf(whole).compareTo(plain) == 0) {
        return ofLong(whole);
      }
    }
    double near = plain.doubleValue();
    boolean isDouble =
        Double.isFinite(near)
            && new BigDecimal(DoubleToDecimal.toString(near)).compareTo(plain) == 0;
    return isDouble ? ofBits(near) : ofKey(VariantKeys.keyOf(plain));
  }
}
