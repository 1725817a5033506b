package icemelt.spark;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import org.apache.spark.types.variant.Variant;
import org.apache.spark.types.variant.VariantBuilder;
import org.apache.spark.types.variant.VariantBuilder.FieldEntry;
import org.apache.spark.unsafe.types.VariantVal;

/** Makes variants of their keys: one of the variants of equal content that have the key. */
public final class KeyedVariants {
  /** More digits have no decimal, and the number becomes a double. */
  private static final int MOST_DIGITS = 38;

  private final byte[] key;
  private final long doubles;
  private final VariantBuilder built = new VariantBuilder(false);
  private int position = 0;
  private int numbers = 0;

  private KeyedVariants(byte[] key, long doubles) {
    this.key = key;
    this.doubles = doubles;
  }

  /** Returns the variant of a key of {@link VariantKeys#key} or {@link VariantKeys#typedKey}. */
  public static VariantVal variant(byte[] key) {
    KeyedVariants plain = new KeyedVariants(key, 0);
    VariantVal made = plain.made();
    return plain.position == key.length ? made : typed(key, plain.readBigEndian());
  }

  /** Returns the variant of a key, with the doubles of {@link VariantKeys#doubles}. */
  public static VariantVal typed(byte[] key, long doubles) {
    return new KeyedVariants(key, doubles).made();
  }

  private VariantVal made() {
    read(0);
    Variant made = built.result();
    return new VariantVal(made.getValue(), made.getMetadata());
  }

  private void read(int depth) {
    byte kind = key[position++];
    switch (kind) {
      case VariantKeys.JSON_NULL -> built.appendNull();
      case VariantKeys.BOOLEAN -> built.appendBoolean(key[position++] != 0);
      case VariantKeys.NUMBER -> readNumber();
      case VariantKeys.TEXT -> built.appendString(readText());
      case VariantKeys.DATE -> built.appendDate((int) readLong());
      case VariantKeys.CLOCK -> built.appendTimestampNtz(readLong());
      case VariantKeys.INSTANT -> built.appendTimestamp(readLong());
      case VariantKeys.BYTES -> built.appendBinary(readBytes());
      case VariantKeys.UUID -> built.appendUuid(java.util.UUID.fromString(readText()));
      case VariantKeys.ARRAY -> readArray(Nesting.deeper(depth));
      case VariantKeys.OBJECT -> readObject(Nesting.deeper(depth));
      default -> throw new IllegalArgumentException("The bytes are no key of a variant.");
    }
  }

  private void readArray(int depth) {
    int start = built.getWritePos();
    ArrayList<Integer> offsets = new ArrayList<>();
    while (key[position++] == VariantKeys.MORE) {
      offsets.add(built.getWritePos() - start);
      read(depth);
    }
    built.finishWritingArray(start, offsets);
  }

  private void readObject(int depth) {
    int start = built.getWritePos();
    ArrayList<FieldEntry> fields = new ArrayList<>();
    while (key[position++] == VariantKeys.MORE) {
      String name = readText();
      fields.add(new FieldEntry(name, built.addKey(name), built.getWritePos() - start));
      read(depth);
    }
    built.finishWritingObject(start, fields);
  }

  private void readNumber() {
    byte part = key[position++];
    boolean isDouble = numbers < VariantKeys.COUNTED_NUMBERS && (doubles >> numbers & 1) != 0;
    numbers++;
    switch (part) {
      case VariantKeys.ZERO -> {
        if (isDouble) {
          built.appendDouble(0);
        } else {
          built.appendLong(0);
        }
      }
      case VariantKeys.MINUS_INFINITY -> built.appendDouble(Double.NEGATIVE_INFINITY);
      case VariantKeys.INFINITY -> built.appendDouble(Double.POSITIVE_INFINITY);
      case VariantKeys.NOT_A_NUMBER -> built.appendDouble(Double.NaN);
      default -> {
        BigDecimal number = readDigits(part == VariantKeys.NEGATIVE);
        if (isDouble) {
          built.appendDouble(number.doubleValue());
        } else {
          appendDecimal(number);
        }
      }
    }
  }

  private BigDecimal readDigits(boolean isNegative) {
    int flip = isNegative ? 0xff : 0;
    int exponent = (next() ^ flip) << 8 | next() ^ flip;
    StringBuilder digits = new StringBuilder();
    for (int pair = next() ^ flip; pair != VariantKeys.END; pair = next() ^ flip) {
      digits.append((char) ('0' + (pair - 1) / 10)).append((char) ('0' + (pair - 1) % 10));
    }
    BigInteger whole = new BigInteger(digits.toString());
    int scale = digits.length() - (exponent - VariantKeys.EXPONENT_BIAS);
    return new BigDecimal(isNegative ? whole.negate() : whole, scale);
  }

  private void appendDecimal(BigDecimal number) {
    BigDecimal shortest = number.stripTrailingZeros();
    int whole = shortest.precision() - shortest.scale();
    if (Math.max(whole, Math.max(shortest.precision(), shortest.scale())) > MOST_DIGITS) {
      built.appendDouble(number.doubleValue());
    } else if (shortest.scale() > 0) {
      built.appendDecimal(shortest);
    } else if (shortest.toBigInteger().bitLength() < Long.SIZE) {
      built.appendLong(shortest.longValue());
    } else {
      built.appendDecimal(shortest.setScale(0));
    }
  }

  private int next() {
    return key[position++] & 0xff;
  }

  private long readLong() {
    return readBigEndian() ^ Long.MIN_VALUE;
  }

  private long readBigEndian() {
    long number = 0;
    for (int bytes = 0; bytes < Long.BYTES; bytes++) {
      number = number << Byte.SIZE | next();
    }
    return number;
  }

  private String readText() {
    return new String(readBytes(), StandardCharsets.UTF_8);
  }

  private byte[] readBytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    while (true) {
      byte each = key[position++];
      if (each == 0 && key[position++] == 0) {
        return bytes.toByteArray();
      }
      bytes.write(each);
    }
  }
}
