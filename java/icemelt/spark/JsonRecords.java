package icemelt.spark;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import org.apache.spark.types.variant.Variant;
import org.apache.spark.types.variant.VariantBuilder;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.unsafe.types.VariantVal;

/**
 * JSON records of files: exactly one JSON value each. Spark's own functions read the first value of
 * a text, and leave the rest of the text alone.
 */
public final class JsonRecords {
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
          // names come from files: they would stay in Java's table of texts
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .build();

  private JsonRecords() {}

  /** Reads a text with a parser that is before its first token. */
  @FunctionalInterface
  interface Reading<T> {
    T read(JsonParser parser) throws IOException;
  }

  /** Returns the one JSON value of a text; null for another text. */
  public static VariantVal document(UTF8String text) {
    return read(text, parser -> parser.nextToken() == null ? null : variant(parser));
  }

  /** Reads a text that is exactly one JSON value; returns null for another text. */
  static <T> T read(UTF8String text, Reading<T> reading) {
    if (isPlainObject(text) && text.getBaseObject() instanceof byte[] bytes) {
      int start = (int) (text.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET);
      try (JsonParser parser = JSON.createParser(bytes, start, text.numBytes())) {
        return readAll(parser, reading);
      } catch (IOException | RuntimeException error) {
        // bytes that are no UTF-8 are replaced in a string, which may make it a JSON value
      }
    }
    try (JsonParser parser = JSON.createParser(text.toString())) {
      return readAll(parser, reading);
    } catch (IOException | RuntimeException error) {
      return null;
    }
  }

  /** Goes behind the value that begins at a parser's token; in its objects each name is there once. */
  static void skip(JsonParser parser) throws IOException {
    if (parser.currentToken() == JsonToken.START_OBJECT) {
      JsonNames names = new JsonNames();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        names.add(parser.currentName());
        parser.nextToken();
        skip(parser);
      }
    } else if (parser.currentToken() == JsonToken.START_ARRAY) {
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        skip(parser);
      }
    }
  }

  /**
   * Returns the value that begins at a parser's current token.
   *
   * @throws RuntimeException where an object has a name twice
   */
  static VariantVal variant(JsonParser parser) throws IOException {
    Variant built = VariantBuilder.parseJson(parser, false);
    return new VariantVal(built.getValue(), built.getMetadata());
  }

  private static <T> T readAll(JsonParser parser, Reading<T> reading) throws IOException {
    T value = reading.read(parser);
    return parser.nextToken() == null ? value : null;
  }

  /** Returns whether bytes are not taken for another encoding than UTF-8 by their start. */
  private static boolean isPlainObject(UTF8String text) {
    return text.numBytes() > 1 && text.getByte(0) == '{' && text.getByte(1) != 0;
  }
}
