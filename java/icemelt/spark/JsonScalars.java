package icemelt.spark;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * JSON values as values of a type, without a VARIANT being made of them: numbers without an exponent
 * as decimals, and texts of the forms of {@link IsoMoment} as dates and times.
 */
final class JsonScalars {
  private static final int MOST_DIGITS = Decimal.MAX_LONG_DIGITS();

  private JsonScalars() {}

  /** Returns the value at a parser's token; null where it is not just of the type. */
  static Object read(JsonParser parser, JsonToken token, DataType type) throws IOException {
    if (type instanceof StringType) {
      return token == JsonToken.VALUE_STRING ? text(parser) : null;
    }
    if (type instanceof LongType) {
      return isLong(parser, token) ? parser.getLongValue() : null;
    }
    if (type instanceof IntegerType) {
      return isInt(parser, token) ? parser.getIntValue() : null;
    }
    if (type instanceof DoubleType) {
      return token.isNumeric() ? finite(parser.getDoubleValue()) : null;
    }
    if (type instanceof BooleanType) {
      return token.isBoolean() ? token == JsonToken.VALUE_TRUE : null;
    }
    if (type instanceof DecimalType decimal) {
      return token.isNumeric() ? decimal(parser, decimal) : null;
    }
    return token == JsonToken.VALUE_STRING ? moment(parser, type) : null;
  }

  private static boolean isInt(JsonParser parser, JsonToken token) throws IOException {
    return token == JsonToken.VALUE_NUMBER_INT
        && parser.getNumberType() == JsonParser.NumberType.INT;
  }

  private static boolean isLong(JsonParser parser, JsonToken token) throws IOException {
    return token == JsonToken.VALUE_NUMBER_INT
        && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER;
  }

  /** Returns null for what a VARIANT has in another way: it knows no -0.0 with a point. */
  private static Double finite(double value) {
    boolean isNegativeZero = value == 0 && 1 / value < 0;
    return isNegativeZero || Double.isInfinite(value) ? null : value;
  }

  private static Decimal decimal(JsonParser parser, DecimalType type) throws IOException {
    char[] written = parser.getTextCharacters();
    int start = parser.getTextOffset();
    int end = start + parser.getTextLength();
    boolean isNegative = written[start] == '-';
    long digits = 0;
    int count = 0;
    int point = end;
    for (int at = isNegative ? start + 1 : start; at < end; at++) {
      char each = written[at];
      if (each == '.') {
        point = at + 1;
      } else if (each < '0' || each > '9' || ++count > MOST_DIGITS) {
        return null;
      } else {
        digits = digits * 10 + each - '0';
      }
    }
    int missing = type.scale() - (end - point);
    if (missing < 0 || count + missing > Math.min(MOST_DIGITS, type.precision())) {
      return null;
    }
    for (; missing > 0; missing--) {
      digits *= 10;
    }
    return Decimal.createUnsafe(isNegative ? -digits : digits, type.precision(), type.scale());
  }

  private static Object moment(JsonParser parser, DataType type) throws IOException {
    boolean isWanted =
        type instanceof TimestampNTZType || type instanceof TimestampType
            || type instanceof DateType;
    IsoMoment read = isWanted ? IsoMoment.of(text(parser)) : null;
    if (read == null) {
      return null;
    }
    if (type instanceof DateType) {
      return read.days();
    }
    if (type instanceof TimestampNTZType) {
      return read.clock();
    }
    // without an offset the session's time zone is needed
    return read.hasOffset() ? read.instant() : null;
  }

  /** Returns the text at the parser's token, most often one of ASCII, as UTF-8. */
  private static UTF8String text(JsonParser parser) throws IOException {
    char[] written = parser.getTextCharacters();
    int start = parser.getTextOffset();
    int length = parser.getTextLength();
    byte[] bytes = new byte[length];
    int bits = 0;
    for (int at = 0; at < length; at++) {
      char each = written[start + at];
      bits |= each;
      bytes[at] = (byte) each;
    }
    return UTF8String.fromBytes(
        bits < 0x80 ? bytes : new String(written, start, length).getBytes(StandardCharsets.UTF_8));
  }
}
