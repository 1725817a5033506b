package icemelt.spark;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.time.LocalTime;
import java.time.Period;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.UUID;
import org.apache.spark.unsafe.types.UTF8String;

/** Values of Parquet files as they are stored, where Spark does not read their types. */
public final class ParquetValues {
  private static final DateTimeFormatter TIME =
      new DateTimeFormatterBuilder()
          .appendPattern("HH:mm:ss")
          .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
          .toFormatter();
  private static final int NANOS_OF_MICRO = 1000;
  private static final int MONTHS_OF_YEAR = 12;

  private ParquetValues() {}

  /** Returns the microseconds of a time in nanoseconds since 1970, rounded down. */
  public static long micros(long nanos) {
    return Math.floorDiv(nanos, NANOS_OF_MICRO);
  }

  /** Returns a time of day, of nanoseconds, as {@code 01:02:03.5}. */
  public static UTF8String time(long nanos) {
    return UTF8String.fromString(TIME.format(LocalTime.ofNanoOfDay(nanos)));
  }

  /** Returns a UUID, of 16 bytes, in its usual form. */
  public static UTF8String uuid(byte[] bytes) {
    ByteBuffer read = ByteBuffer.wrap(bytes);
    return UTF8String.fromString(new UUID(read.getLong(), read.getLong()).toString());
  }

  /** Returns the value of a FLOAT16: a sign, five bits of an exponent and ten of digits. */
  public static double half(byte[] bytes) {
    int bits = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getShort();
    int exponent = bits >> 10 & 0x1F;
    int digits = bits & 0x3FF;
    double size;
    if (exponent == 0x1F) {
      size = digits == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
    } else if (exponent == 0) {
      size = Math.scalb((double) digits, -24);
    } else {
      size = Math.scalb((double) (digits | 0x400), exponent - 25);
    }
    return bits < 0 ? -size : size;
  }

  /** Returns a DECIMAL of more than 38 digits as text. */
  public static UTF8String decimal(byte[] bytes, int scale) {
    return UTF8String.fromString(new BigDecimal(new BigInteger(bytes), scale).toPlainString());
  }

  /** Returns an INTERVAL of months, days and milliseconds as in ISO 8601: {@code P1M2DT3S}. */
  public static UTF8String interval(byte[] bytes) {
    ByteBuffer read = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    long months = Integer.toUnsignedLong(read.getInt());
    long days = Integer.toUnsignedLong(read.getInt());
    String time = Duration.ofMillis(Integer.toUnsignedLong(read.getInt())).toString();
    String date =
        Period.of((int) (months / MONTHS_OF_YEAR), (int) (months % MONTHS_OF_YEAR), 0).toString();
    String whole = (months == 0 ? "P" : date) + (days == 0 ? "" : days + "D");
    String rest = time.equals("PT0S") ? "" : time.substring(1);
    return UTF8String.fromString(whole.equals("P") && rest.isEmpty() ? "PT0S" : whole + rest);
  }
}
