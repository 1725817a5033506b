package icemelt.spark;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Writes a JSON value without some members of its objects, at any depth: those that are null, and
 * all but the last of one name. Elements of arrays stay, as they are counted.
 *
 * <p>A text that is not exactly one JSON value is returned as it is.
 */
public final class JsonMembersKept {
  private final JsonParser parser;
  private final boolean stripNulls;
  private final boolean lastOnly;

  private JsonMembersKept(JsonParser parser, boolean stripNulls, boolean lastOnly) {
    this.parser = parser;
    this.stripNulls = stripNulls;
    this.lastOnly = lastOnly;
  }

  /**
   * Returns a JSON text with the members that are kept.
   *
   * @param stripNulls whether members that are null are left out
   * @param lastOnly whether of several members with one name only the last is kept
   */
  public static UTF8String keep(UTF8String text, boolean stripNulls, boolean lastOnly) {
    try (JsonParser parser = JsonDocuments.JSON.createParser(text.toString())) {
      JsonMembersKept reading = new JsonMembersKept(parser, stripNulls, lastOnly);
      if (parser.nextToken() == null) {
        return text;
      }
      String kept = reading.value();
      return parser.nextToken() == null ? UTF8String.fromString(kept) : text;
    } catch (IOException error) {
      return text;
    }
  }

  /** Returns the value that begins at the current token. */
  private String value() throws IOException {
    return switch (parser.currentToken()) {
      case START_OBJECT -> object();
      case START_ARRAY -> array();
      case VALUE_STRING -> quoted(parser.getText());
      default -> parser.getText();
    };
  }

  private String object() throws IOException {
    List<String> names = new ArrayList<>();
    List<String> values = new ArrayList<>();
    Map<String, Integer> places = new HashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      boolean isNull = parser.nextToken() == JsonToken.VALUE_NULL;
      String value = value();
      Integer place = lastOnly ? places.get(name) : null;
      if (place != null) {
        values.set(place, isNull && stripNulls ? null : value);
      } else {
        places.put(name, names.size());
        names.add(name);
        values.add(isNull && stripNulls ? null : value);
      }
    }
    StringBuilder written = new StringBuilder("{");
    for (int place = 0; place < names.size(); place++) {
      if (values.get(place) != null) {
        written.append(written.length() > 1 ? "," : "");
        written.append(quoted(names.get(place))).append(':').append(values.get(place));
      }
    }
    return written.append('}').toString();
  }

  private String array() throws IOException {
    StringBuilder written = new StringBuilder("[");
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      written.append(written.length() > 1 ? "," : "").append(value());
    }
    return written.append(']').toString();
  }

  private static String quoted(String text) {
    return '"' + new String(JsonStringEncoder.getInstance().quoteAsString(text)) + '"';
  }
}
