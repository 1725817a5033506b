package icemelt.spark;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.time.ZoneId;
import java.util.Arrays;
import org.apache.spark.types.variant.Variant;
import org.apache.spark.types.variant.VariantUtil;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.unsafe.types.VariantVal;

/**
 * Variants as JSON: the texts of Spark's {@code to_json}, which makes a writer of its own for each
 * name and each text of a variant.
 */
public final class VariantTexts {
  private static final JsonStringEncoder QUOTES = JsonStringEncoder.getInstance();

  private final byte[] value;
  private final byte[] metadata;
  private final UTF8String zone;
  private final StringBuilder written = new StringBuilder();

  private VariantTexts(VariantVal variant, UTF8String zone) {
    value = variant.getValue();
    metadata = variant.getMetadata();
    this.zone = zone;
  }

  /**
   * Returns a variant as JSON.
   *
   * @param zone the zone in whose wall clock instants are written
   */
  public static UTF8String json(VariantVal variant, UTF8String zone) {
    VariantTexts texts = new VariantTexts(variant, zone);
    texts.write(0, 0);
    return UTF8String.fromString(texts.written.toString());
  }

  private void write(int place, int depth) {
    switch (VariantUtil.getType(value, place)) {
      case OBJECT -> writeObject(place, Nesting.deeper(depth));
      case ARRAY -> writeArray(place, Nesting.deeper(depth));
      case NULL -> written.append("null");
      case BOOLEAN -> written.append(VariantUtil.getBoolean(value, place));
      case LONG -> written.append(VariantUtil.getLong(value, place));
      case STRING -> writeQuoted(VariantUtil.getString(value, place));
      case DECIMAL -> written.append(VariantUtil.getDecimal(value, place).toPlainString());
      default -> writeRare(place);
    }
  }

  private void writeObject(int place, int depth) {
    VariantUtil.handleObject(
        value,
        place,
        (size, idSize, offsetSize, ids, offsets, data) -> {
          written.append('{');
          for (int field = 0; field < size; field++) {
            int id = VariantUtil.readUnsigned(value, ids + idSize * field, idSize);
            int offset = VariantUtil.readUnsigned(value, offsets + offsetSize * field, offsetSize);
            written.append(field > 0 ? "," : "");
            writeQuoted(VariantUtil.getMetadataKey(metadata, id));
            written.append(':');
            write(data + offset, depth);
          }
          written.append('}');
          return null;
        });
  }

  private void writeArray(int place, int depth) {
    VariantUtil.handleArray(
        value,
        place,
        (size, offsetSize, offsets, data) -> {
          written.append('[');
          for (int element = 0; element < size; element++) {
            int offset = VariantUtil.readUnsigned(value, offsets + offsetSize * element, offsetSize);
            written.append(element > 0 ? "," : "");
            write(data + offset, depth);
          }
          written.append(']');
          return null;
        });
  }

  /** Writes doubles, times, bytes and UUIDs, as Spark does. */
  private void writeRare(int place) {
    if (VariantUtil.getType(value, place) == VariantUtil.Type.DOUBLE) {
      double number = VariantUtil.getDouble(value, place);
      String quote = Double.isFinite(number) ? "" : "\"";
      written.append(quote).append(number).append(quote);
      return;
    }
    int size = VariantUtil.valueSize(value, place);
    byte[] alone = Arrays.copyOfRange(value, place, place + size);
    written.append(new Variant(alone, metadata).toJson(ZoneId.of(zone.toString())));
  }

  private void writeQuoted(String text) {
    written.append('"');
    QUOTES.quoteAsString(text, written);
    written.append('"');
  }
}
