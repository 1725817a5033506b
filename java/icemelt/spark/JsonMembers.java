package icemelt.spark;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Some members of JSON objects, read in one pass: {@code icemelt_json_members(text, case, kind,
 * name, kind, name, …)}, all but the text literals. {@code case} is {@code exact} or {@code any},
 * for whether the case of a name counts.
 *
 * <p>The result is NULL where the text is not exactly one JSON value, else a struct of {@code
 * is_object BOOLEAN} and two columns for each member, from 0: {@code p0} of the member's kind, for
 * a value that is just of that kind, and {@code v0 VARIANT} for any other value, JSON's null among
 * them. Both are NULL for a member that is missing, and {@code p0} for all of the kind {@code
 * variant}.
 *
 * @param places the places of the members by name; in lower case where it does not count
 * @param kinds the kinds of the members
 * @param anyCase whether the case of names does not count; of several members the first by name
 *     is read
 */
public record JsonMembers(Map<String, Integer> places, List<Kind> kinds, boolean anyCase)
    implements Serializable {
  /** What a value is read as without a VARIANT being made of it. */
  public enum Kind {
    INT(DataTypes.IntegerType),
    LONG(DataTypes.LongType),
    DOUBLE(DataTypes.DoubleType),
    BOOLEAN(DataTypes.BooleanType),
    STRING(DataTypes.StringType),
    VARIANT(DataTypes.VariantType);

    private final DataType type;

    Kind(DataType type) {
      this.type = type;
    }

    /** Returns the value at a parser's token; null where it is not just of this kind. */
    private Object read(JsonParser parser, JsonToken token) throws IOException {
      return switch (this) {
        case INT -> isInt(parser, token) ? parser.getIntValue() : null;
        case LONG -> isLong(parser, token) ? parser.getLongValue() : null;
        case DOUBLE -> token.isNumeric() ? finite(parser.getDoubleValue()) : null;
        case BOOLEAN -> token.isBoolean() ? token == JsonToken.VALUE_TRUE : null;
        case STRING ->
            token == JsonToken.VALUE_STRING ? UTF8String.fromString(parser.getText()) : null;
        case VARIANT -> null;
      };
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
  }

  /** Returns the call of the function. */
  static Expression call(Seq<Expression> arguments) {
    List<Expression> given = CollectionConverters.asJava(arguments);
    List<String> words = new ArrayList<>();
    for (Expression argument : given.subList(1, given.size())) {
      words.add(argument.eval(InternalRow.empty()).toString());
    }
    Map<String, Integer> places = new HashMap<>();
    List<Kind> kinds = new ArrayList<>();
    List<StructField> fields = new ArrayList<>();
    fields.add(DataTypes.createStructField("is_object", DataTypes.BooleanType, false));
    for (int at = 1; at < words.size(); at += 2) {
      Kind kind = Kind.valueOf(words.get(at).toUpperCase(java.util.Locale.ROOT));
      fields.add(DataTypes.createStructField("p" + kinds.size(), kind.type, true));
      fields.add(DataTypes.createStructField("v" + kinds.size(), DataTypes.VariantType, true));
      places.put(words.get(at + 1), kinds.size());
      kinds.add(kind);
    }
    JsonMembers members =
        new JsonMembers(Map.copyOf(places), List.copyOf(kinds), words.get(0).equals("any"));
    return new Invoke(
        Literal.fromObject(members), "read", new StructType(fields.toArray(new StructField[0])),
        CollectionConverters.asScala(List.of(given.get(0))).toSeq(),
        CollectionConverters.asScala(List.<AbstractDataType>of(DataTypes.StringType)).toSeq(),
        true, true, true);
  }

  /** Returns the members of a text; null where it is not exactly one JSON value. */
  public InternalRow read(UTF8String text) {
    return JsonRecords.read(text, this::readMembers);
  }

  private InternalRow readMembers(JsonParser parser) throws IOException {
    Object[] values = new Object[1 + 2 * kinds.size()];
    JsonToken first = parser.nextToken();
    values[0] = first == JsonToken.START_OBJECT;
    if (first != JsonToken.START_OBJECT) {
      parser.skipChildren();
      return first == null ? null : new GenericInternalRow(values);
    }
    String[] read = new String[kinds.size()];
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      JsonToken token = parser.nextToken();
      Integer place = places.get(anyCase ? lower(name) : name);
      if (place == null || (read[place] != null && read[place].compareTo(name) < 0)) {
        parser.skipChildren();
        continue;
      }
      read[place] = name;
      Object plain = kinds.get(place).read(parser, token);
      values[1 + 2 * place] = plain;
      values[2 + 2 * place] = plain == null ? JsonRecords.variant(parser) : null;
    }
    return new GenericInternalRow(values);
  }

  private static String lower(String name) {
    return UTF8String.fromString(name).toLowerCase().toString();
  }
}
