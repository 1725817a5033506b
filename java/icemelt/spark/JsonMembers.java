package icemelt.spark;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
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
 * Some members of JSON objects, read in one pass: {@code icemelt_json_members(text, case, type,
 * name, type, name, …)}, all but the text literals. {@code case} is {@code exact} or {@code any},
 * for whether the case of a name counts.
 *
 * <p>The result is NULL where the text is not exactly one JSON value, else a struct of {@code
 * is_object BOOLEAN} and two columns for each member, from 0: {@code p0} of the member's type, for
 * a value that {@link JsonScalars} reads as just of that type, and {@code v0 VARIANT} for any other
 * value, JSON's null among them. Both are NULL for a member that is missing, and {@code p0} for all
 * of the type {@code VARIANT}.
 */
public final class JsonMembers implements Serializable {
  private static final long serialVersionUID = 1;

  /** Names of members that files have are kept up to this number. */
  private static final int MOST_NAMES = 1_000;
  private static final int UNREAD = -1;

  /** The places of the members by name; in lower case where it does not count. */
  private final Map<String, Integer> places;
  private final DataType[] types;
  private final boolean anyCase;
  // by the names that files have: UNREAD for one that is no member
  private final Map<String, Integer> known = new ConcurrentHashMap<>();

  private JsonMembers(Map<String, Integer> places, DataType[] types, boolean anyCase) {
    this.places = places;
    this.types = types;
    this.anyCase = anyCase;
  }

  /** Returns the call of the function. */
  static Expression call(Seq<Expression> arguments) {
    List<Expression> given = CollectionConverters.asJava(arguments);
    List<String> words = new ArrayList<>();
    for (Expression argument : given.subList(1, given.size())) {
      words.add(argument.eval(InternalRow.empty()).toString());
    }
    Map<String, Integer> places = new HashMap<>();
    List<DataType> types = new ArrayList<>();
    List<StructField> fields = new ArrayList<>();
    fields.add(DataTypes.createStructField("is_object", DataTypes.BooleanType, false));
    for (int at = 1; at < words.size(); at += 2) {
      DataType type = DataType.fromDDL(words.get(at));
      fields.add(DataTypes.createStructField("p" + types.size(), type, true));
      fields.add(DataTypes.createStructField("v" + types.size(), DataTypes.VariantType, true));
      places.put(words.get(at + 1), types.size());
      types.add(type);
    }
    JsonMembers members =
        new JsonMembers(places, types.toArray(new DataType[0]), words.get(0).equals("any"));
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

  /** Plans that read the same members of the same texts are one plan to Spark. */
  @Override
  public boolean equals(Object other) {
    return other instanceof JsonMembers that
        && places.equals(that.places)
        && Arrays.equals(types, that.types)
        && anyCase == that.anyCase;
  }

  @Override
  public int hashCode() {
    return Objects.hash(places, Arrays.hashCode(types), anyCase);
  }

  private InternalRow readMembers(JsonParser parser) throws IOException {
    Object[] values = new Object[1 + 2 * types.length];
    JsonToken first = parser.nextToken();
    values[0] = first == JsonToken.START_OBJECT;
    if (first != JsonToken.START_OBJECT) {
      JsonRecords.skip(parser);
      return first == null ? null : new GenericInternalRow(values);
    }
    String[] read = new String[types.length];
    JsonNames names = new JsonNames();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      names.add(name);
      JsonToken token = parser.nextToken();
      int place = placeOf(name);
      if (place == UNREAD || (read[place] != null && read[place].compareTo(name) < 0)) {
        JsonRecords.skip(parser);
        continue;
      }
      read[place] = name;
      Object plain = JsonScalars.read(parser, token, types[place]);
      values[1 + 2 * place] = plain;
      values[2 + 2 * place] = plain == null ? JsonRecords.variant(parser) : null;
    }
    return new GenericInternalRow(values);
  }

  /** Returns the place of the member that a name in a file is; of several the first by name counts. */
  private int placeOf(String name) {
    Integer place = known.get(name);
    if (place == null) {
      String given = anyCase ? UTF8String.fromString(name).toLowerCase().toString() : name;
      place = places.getOrDefault(given, UNREAD);
      if (known.size() < MOST_NAMES) {
        known.put(name, place);
      }
    }
    return place;
  }
}
