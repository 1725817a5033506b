package icemelt.spark;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.unsafe.types.VariantVal;

/** The parts of a URL as an object, as Snowflake's PARSE_URL has them. */
public final class Addresses {
  private Addresses() {}

  /** Returns the parts of a URL; of a text that is none an error, or an object that tells of it. */
  public static VariantVal parseUrl(UTF8String text, boolean isPermissive) {
    String url = text.toString();
    int colon = url.indexOf(':');
    if (colon < 1 || !url.substring(0, colon).matches("[A-Za-z][A-Za-z0-9+.-]*")) {
      if (!isPermissive) {
        throw PatternRefused.argument(
            "PARSE_URL takes a URL with a scheme, found '" + url + "'.",
            "PARSE_URL(url, 1) tells of it in the object.");
      }
      return object("{\"error\": \"Error parsing URL: scheme not specified\"}");
    }
    return object(json(parts(url.substring(0, colon), url.substring(colon + 1))));
  }

  private static Map<String, String> parts(String scheme, String rest) {
    Map<String, String> parts = new LinkedHashMap<>();
    String[] fragment = cut(rest, '#');
    String[] query = cut(fragment[0], '?');
    String path = query[0];
    String host = null;
    String port = null;
    if (path.startsWith("//")) {
      String[] place = cut(path.substring(2), '/');
      path = place[1] == null ? "" : place[1];
      int colon = place[0].lastIndexOf(':');
      boolean hasPort = colon >= 0 && place[0].substring(colon + 1).matches("[0-9]+");
      host = hasPort ? place[0].substring(0, colon) : place[0];
      port = hasPort ? place[0].substring(colon + 1) : null;
    }
    parts.put("fragment", quoted(fragment[1]));
    parts.put("host", quoted(host));
    parts.put("parameters", query[1] == null ? "null" : parameters(query[1]));
    parts.put("path", quoted(path));
    parts.put("port", quoted(port));
    parts.put("query", quoted(query[1]));
    parts.put("scheme", quoted(scheme));
    return parts;
  }

  /** Returns the parameters of a query; of one that is there twice the last. */
  private static String parameters(String query) {
    Map<String, String> parameters = new LinkedHashMap<>();
    for (String parameter : query.split("&")) {
      String[] pair = cut(parameter, '=');
      if (!pair[0].isEmpty()) {
        parameters.put(pair[0], quoted(pair[1] == null ? "" : pair[1]));
      }
    }
    return json(parameters);
  }

  private static String[] cut(String text, char at) {
    int place = text.indexOf(at);
    boolean isThere = place >= 0;
    return new String[] {
      isThere ? text.substring(0, place) : text, isThere ? text.substring(place + 1) : null
    };
  }

  private static String json(Map<String, String> members) {
    StringBuilder json = new StringBuilder("{");
    members.forEach(
        (key, value) -> {
          json.append(json.length() == 1 ? "" : ",").append(quoted(key)).append(':').append(value);
        });
    return json.append('}').toString();
  }

  private static String quoted(String text) {
    if (text == null) {
      return "null";
    }
    return new StringBuilder("\"")
        .append(com.fasterxml.jackson.core.io.JsonStringEncoder.getInstance().quoteAsString(text))
        .append('"')
        .toString();
  }

  private static VariantVal object(String json) {
    return JsonRecords.document(UTF8String.fromString(json));
  }
}
