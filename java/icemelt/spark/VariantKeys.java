package icemelt.spark;

import com.fasterxml.jackson.core.io.schubfach.DoubleToDecimal;
import com.fasterxml.jackson.core.io.schubfach.FloatToDecimal;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.apache.spark.types.variant.Variant;
import org.apache.spark.types.variant.Variant.ObjectField;
import org.apache.spark.types.variant.VariantUtil;
import org.apache.spark.unsafe.types.VariantVal;

/**
 * Keys of variants: bytes that are equal for variants of equal content, and whose order is that of
 * the variants. Spark groups, sorts and joins by them, as it does not by variants.
 *
 * <p>A number is a number: 1 and 1.0 have one key, and so have a decimal and a double of one
 * shortest text. The fields of an object count in the order of their names. Booleans come before
 * numbers, then texts, dates, timestamps, bytes, UUIDs, arrays and objects; a JSON null is last,
 * as NULL is in ORDER BY. NaN is greater than all numbers.
 *
 * <p>A key begins with the kind of the variant, and tells by itself where it ends, so that the key
 * of an array has those of its elements. {@link KeyedVariants} makes a variant of it again.
 *
 * <p>A key does not say which numbers are doubles. {@link #doubles} does, and {@link #typedKey} has
 * it behind the key.
 */
public final class VariantKeys {
  static final byte BOOLEAN = 0x10;
  static final byte NUMBER = 0x20;
  static final byte TEXT = 0x30;
  static final byte DATE = 0x40;
  static final byte CLOCK = 0x48;
  static final byte INSTANT = 0x50;
  static final byte BYTES = 0x58;
  static final byte UUID = 0x60;
  static final byte ARRAY = 0x68;
  static final byte OBJECT = 0x70;
  static final byte JSON_NULL = 0x7f;

  /** Before an element or a field, and where there is none any more. */
  static final byte MORE = 1;
  static final byte END = 0;

  // the parts of the line of numbers, in their order
  static final byte MINUS_INFINITY = 1;
  static final byte NEGATIVE = 2;
  static final byte ZERO = 3;
  static final byte POSITIVE = 4;
  static final byte INFINITY = 5;
  static final byte NOT_A_NUMBER = 6;

  static final int EXPONENT_BIAS = 1 << 15;
  /** Inside texts and bytes, a zero byte is followed by it; two zeros are the end. */
  static final byte ESCAPED = (byte) 0xff;

  /** Of so many numbers in a variant, in their order, it is kept whether they are doubles. */
  static final int COUNTED_NUMBERS = Long.SIZE - 1;

  private static final int SHORT_KEY = 32;
  private static final int LONG_DIGITS = 19;
  private static final double WHOLE_DOUBLES = 1L << 53;

  private final Bytes out;
  private int numbers = 0;
  private long doubles = 0;

  private VariantKeys(int expected) {
    out = new Bytes(expected);
  }

  /** Returns the key of a variant. */
  public static byte[] key(VariantVal value) {
    return written(value).out.toByteArray();
  }

  /** Returns which of the first numbers in a variant are doubles, the lowest bit for the first. */
  public static long doubles(VariantVal value) {
    return written(value).doubles;
  }

  /** Returns the key of a variant with its doubles behind it; the order is that of the keys. */
  public static byte[] typedKey(VariantVal value) {
    VariantKeys keys = written(value);
    if (keys.doubles != 0) {
      keys.writeBigEndian(keys.doubles);
    }
    return keys.out.toByteArray();
  }

  private static VariantKeys written(VariantVal value) {
    VariantKeys keys = new VariantKeys(SHORT_KEY);
    keys.write(new Variant(value.getValue(), value.getMetadata()), 0);
    return keys;
  }

  /** Returns the key of an exact number as a variant. */
  static byte[] keyOf(BigDecimal number) {
    VariantKeys keys = new VariantKeys(SHORT_KEY);
    keys.writeNumber(number);
    return keys.out.toByteArray();
  }

  /**
   * Returns whether an element of an array has a key; null where a variant is no array.
   *
   * @param wanted a key of {@link #key}
   */
  public static Boolean contains(VariantVal array, byte[] wanted) {
    Variant elements = new Variant(array.getValue(), array.getMetadata());
    if (elements.getType() != VariantUtil.Type.ARRAY) {
      return null;
    }
    int size = elements.arraySize();
    for (int position = 0; position < size; position++) {
      VariantKeys keys = new VariantKeys(SHORT_KEY);
      keys.write(elements.getElementAtIndex(position), 1);
      if (keys.out.equalsBytes(wanted)) {
        return true;
      }
    }
    return false;
  }

  private void write(Variant value, int depth) {
    switch (value.getType()) {
      case NULL -> out.write(JSON_NULL);
      case BOOLEAN -> {
        out.write(BOOLEAN);
        out.write(value.getBoolean() ? 1 : 0);
      }
      case LONG -> {
        numbers++;
        writeDigits(value.getLong(), 0);
      }
      case DECIMAL -> {
        numbers++;
        writeNumber(value.getDecimal());
      }
      case DOUBLE -> {
        noteDouble();
        writeNumber(value.getDouble());
      }
      case FLOAT -> {
        noteDouble();
        writeFloat(value.getFloat());
      }
      case STRING -> writeBytes(TEXT, value.getString().getBytes(StandardCharsets.UTF_8));
      case DATE -> writeLong(DATE, value.getLong());
      case TIMESTAMP_NTZ -> writeLong(CLOCK, value.getLong());
      case TIMESTAMP -> writeLong(INSTANT, value.getLong());
      case BINARY -> writeBytes(BYTES, value.getBinary());
      case UUID -> writeBytes(UUID, value.getUuid().toString().getBytes(StandardCharsets.UTF_8));
      case ARRAY -> writeArray(value, Nesting.deeper(depth));
      case OBJECT -> writeObject(value, Nesting.deeper(depth));
    }
  }

  private void noteDouble() {
    if (numbers < COUNTED_NUMBERS) {
      doubles |= 1L << numbers;
    }
    numbers++;
  }

  private void writeArray(Variant array, int depth) {
    out.write(ARRAY);
    int size = array.arraySize();
    for (int position = 0; position < size; position++) {
      out.write(MORE);
      write(array.getElementAtIndex(position), depth);
    }
    out.write(END);
  }

  private void writeObject(Variant object, int depth) {
    List<ObjectField> fields = new ArrayList<>();
    int size = object.objectSize();
    for (int position = 0; position < size; position++) {
      fields.add(object.getFieldAtIndex(position));
    }
    fields.sort(Comparator.comparing(field -> field.key));
    out.write(OBJECT);
    for (ObjectField field : fields) {
      writeBytes(MORE, field.key.getBytes(StandardCharsets.UTF_8));
      write(field.value, depth);
    }
    out.write(END);
  }

  private void writeFloat(float number) {
    // the number that its shortest text says, as for a double: 0.1, and not 0.10000000149
    boolean isFinite = Float.isFinite(number);
    writeNumber(isFinite ? Double.parseDouble(FloatToDecimal.toString(number)) : number);
  }

  private void writeNumber(double number) {
    if (number == Math.rint(number) && Math.abs(number) < WHOLE_DOUBLES) {
      writeDigits((long) number, 0);
    } else if (Double.isNaN(number)) {
      writePart(NOT_A_NUMBER);
    } else if (Double.isInfinite(number)) {
      writePart(number > 0 ? INFINITY : MINUS_INFINITY);
    } else {
      // Java 17 itself gives a digit too many of some
      writeShortest(DoubleToDecimal.toString(number));
    }
  }

  /** Writes a number of at most 17 digits, as in {@code -12.5} or {@code 1.0E-5}. */
  private void writeShortest(String written) {
    int start = written.charAt(0) == '-' ? 1 : 0;
    int end = written.length();
    long digits = 0;
    int point = 0;
    int at = start;
    for (; at < end && written.charAt(at) != 'E'; at++) {
      char each = written.charAt(at);
      if (each == '.') {
        point = at;
      } else {
        digits = digits * 10 + each - '0';
      }
    }
    int exponent = at < end ? Integer.parseInt(written, at + 1, end, 10) : 0;
    writeDigits(start > 0 ? -digits : digits, at - 1 - point - exponent);
  }

  private void writeNumber(BigDecimal number) {
    BigInteger digits = number.unscaledValue();
    if (digits.bitLength() < Long.SIZE) {
      writeDigits(digits.longValue(), number.scale());
    } else {
      writeDigits(digits.signum(), digits.toString(), number.scale());
    }
  }

  /** Writes a number by its digits, some of which are behind the point: as the other one does. */
  private void writeDigits(long digits, int scale) {
    long size = Math.abs(digits);
    if (size <= 0) {
      // the smallest number has no counterpart above zero
      writeDigits(Long.signum(digits), Long.toString(digits), scale);
      return;
    }
    int zeros = 0;
    while (size % 10 == 0) {
      size /= 10;
      zeros++;
    }
    int count = countDigits(size);
    int flip = digits < 0 ? 0xff : 0;
    writePart(digits < 0 ? NEGATIVE : POSITIVE);
    int exponent = count + zeros - scale + EXPONENT_BIAS;
    out.write((exponent >> 8) ^ flip);
    out.write(exponent ^ flip);
    int pairs = (count + 1) / 2;
    int last = out.skip(pairs + 1) + pairs;
    out.bytes[last] = (byte) (END ^ flip);
    if (count % 2 > 0) {
      out.bytes[--last] = (byte) ((int) (size % 10) * 10 + 1 ^ flip);
      size /= 10;
    }
    for (; size > 0; size /= 100) {
      out.bytes[--last] = (byte) ((int) (size % 100) + 1 ^ flip);
    }
  }

  private static int countDigits(long number) {
    int count = 1;
    for (long power = 10; count < LONG_DIGITS && number >= power; power *= 10) {
      count++;
    }
    return count;
  }

  /**
   * Writes a number by its digits: 0.d1d2d3… times ten to an exponent, where d1 is not 0. The
   * exponent and then pairs of digits compare as the number does; of a negative one in reverse.
   */
  private void writeDigits(int sign, String written, int scale) {
    if (sign == 0) {
      writePart(ZERO);
      return;
    }
    int start = sign < 0 ? 1 : 0;
    int end = written.length();
    while (written.charAt(end - 1) == '0') {
      end--;
    }
    writePart(sign < 0 ? NEGATIVE : POSITIVE);
    int flip = sign < 0 ? 0xff : 0;
    int exponent = written.length() - start - scale + EXPONENT_BIAS;
    out.write((exponent >> 8) ^ flip);
    out.write(exponent ^ flip);
    for (int position = start; position < end; position += 2) {
      int second = position + 1 < end ? written.charAt(position + 1) - '0' : 0;
      out.write((written.charAt(position) - '0') * 10 + second + 1 ^ flip);
    }
    out.write(END ^ flip);
  }

  private void writePart(byte part) {
    out.write(NUMBER);
    out.write(part);
  }

  private void writeLong(byte kind, long number) {
    out.write(kind);
    writeBigEndian(number ^ Long.MIN_VALUE);
  }

  private void writeBigEndian(long number) {
    for (int shift = Long.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
      out.write((int) (number >>> shift));
    }
  }

  private void writeBytes(byte kind, byte[] bytes) {
    out.write(kind);
    for (byte each : bytes) {
      out.write(each);
      if (each == 0) {
        out.write(ESCAPED);
      }
    }
    out.write(0);
    out.write(0);
  }

  /** Bytes of a key that grow; the Java class for it takes a lock for each byte. */
  private static final class Bytes {
    private byte[] bytes;
    private int size = 0;

    Bytes(int expected) {
      bytes = new byte[expected];
    }

    void write(int each) {
      if (size == bytes.length) {
        bytes = Arrays.copyOf(bytes, 2 * size);
      }
      bytes[size++] = (byte) each;
    }

    /** Makes room for some bytes, and returns the place of the first one. */
    int skip(int count) {
      if (size + count > bytes.length) {
        bytes = Arrays.copyOf(bytes, 2 * size + count);
      }
      int first = size;
      size += count;
      return first;
    }

    boolean equalsBytes(byte[] others) {
      return Arrays.equals(bytes, 0, size, others, 0, others.length);
    }

    byte[] toByteArray() {
      return size == bytes.length ? bytes : Arrays.copyOf(bytes, size);
    }
  }
}
