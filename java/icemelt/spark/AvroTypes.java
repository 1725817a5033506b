package icemelt.spark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.LogicalType;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.mapred.FsInput;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.classic.SparkSession;

/** What the values of Avro files mean that Spark's reader gives as they are stored. */
public final class AvroTypes {
  private AvroTypes() {}

  /**
   * Returns for each file the paths of such values and what they mean, in turns: `0/1` and `TIME
   * MILLIS`. A path has the numbers of fields; 0 for what is in an array, 1 for the values of a map.
   */
  public static List<List<String>> read(SparkSession session, List<String> files) {
    return EachFile.ask(session, files, AvroTypes::ofFile);
  }

  private static List<String> ofFile(String location, Configuration conf) throws IOException {
    try (FsInput input = new FsInput(new Path(location), conf);
        DataFileReader<Object> reader = new DataFileReader<>(input, new GenericDatumReader<>())) {
      List<String> found = new ArrayList<>();
      add(reader.getSchema(), "", found);
      return found;
    }
  }

  private static void add(Schema schema, String path, List<String> found) {
    switch (schema.getType()) {
      case RECORD ->
          addAll(schema.getFields().stream().map(Schema.Field::schema).toList(), path, found);
      case ARRAY -> add(schema.getElementType(), inside(path, 0), found);
      case MAP -> add(schema.getValueType(), inside(path, 1), found);
      case UNION -> addUnion(schema, path, found);
      default -> {
        String meaning = meaning(schema);
        if (meaning != null) {
          found.add(path);
          found.add(meaning);
        }
      }
    }
  }

  /** Adds what is in a union: of one type, or in the members of the structure that Spark makes. */
  private static void addUnion(Schema union, String path, List<String> found) {
    List<Schema> types =
        union.getTypes().stream().filter(type -> type.getType() != Schema.Type.NULL).toList();
    if (types.size() == 1) {
      add(types.get(0), path, found);
    } else {
      addAll(types, path, found);
    }
  }

  private static void addAll(List<Schema> types, String path, List<String> found) {
    for (int number = 0; number < types.size(); number++) {
      add(types.get(number), inside(path, number), found);
    }
  }

  private static String inside(String path, int number) {
    return path.isEmpty() ? String.valueOf(number) : path + "/" + number;
  }

  private static String meaning(Schema schema) {
    LogicalType type = schema.getLogicalType();
    return switch (type == null ? "" : type.getName()) {
      case "time-millis" -> "TIME MILLIS";
      case "time-micros" -> "TIME MICROS";
      case "timestamp-nanos" -> "INSTANT";
      case "local-timestamp-nanos" -> "CLOCK";
      case "duration" -> "INTERVAL";
      default -> null;
    };
  }
}
