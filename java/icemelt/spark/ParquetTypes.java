package icemelt.spark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.Float16LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntervalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.UUIDLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn;
import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DecimalType;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Schemas of Parquet files with types that Spark refuses, as a time in nanoseconds: it reads their
 * stored values, of a plain INT64 or as bytes, where the schema says so.
 */
public final class ParquetTypes {
  private ParquetTypes() {}

  /**
   * Returns for each file its schema as Spark's JSON, and then for each leaf that is not stored as it
   * is meant its path and its meaning, as {@code TIME MILLIS}. A path is of the numbers of fields,
   * 0 for what is in a list and for the keys of a map, 1 for its values: {@code 2/0}.
   */
  public static List<List<String>> read(SparkSession session, List<String> files) {
    return EachFile.ask(session, files, ParquetTypes::ofFile);
  }

  private static List<String> ofFile(String location, Configuration conf) throws IOException {
    HadoopInputFile file = HadoopInputFile.fromPath(new Path(location), conf);
    try (ParquetFileReader reader = ParquetFileReader.open(file)) {
      MessageType schema = reader.getFileMetaData().getSchema();
      MessageType plain = new MessageType(schema.getName(), storedFields(schema));
      ParquetColumn column =
          new ParquetToSparkSchemaConverter(new SQLConf())
              .convertParquetColumn(plain, Option.empty());
      List<String> found = new ArrayList<>();
      found.add(column.sparkType().json());
      addMeanings(column, "", schema, found);
      return found;
    }
  }

  private static void addMeanings(
      ParquetColumn column, String path, MessageType schema, List<String> found) {
    if (column.children().isEmpty()) {
      String[] names =
          CollectionConverters.asJava(column.path()).toArray(String[]::new);
      String meaning = meaning(schema.getType(names).getLogicalTypeAnnotation());
      if (!meaning.isEmpty()) {
        found.add(path);
        found.add(meaning);
      }
    }
    for (int at = 0; at < column.children().size(); at++) {
      String below = path.isEmpty() ? "" + at : path + "/" + at;
      addMeanings(column.children().apply(at), below, schema, found);
    }
  }

  private static List<Type> storedFields(GroupType group) {
    List<Type> fields = new ArrayList<>();
    for (Type field : group.getFields()) {
      if (!field.isPrimitive()) {
        GroupType inner = field.asGroupType();
        fields.add(inner.withNewFields(storedFields(inner)));
      } else {
        boolean isStored = meaning(field.getLogicalTypeAnnotation()).isEmpty();
        fields.add(isStored ? field : stored(field.asPrimitiveType()));
      }
    }
    return fields;
  }

  private static PrimitiveType stored(PrimitiveType type) {
    return Types.primitive(type.getPrimitiveTypeName(), type.getRepetition())
        .length(type.getTypeLength())
        .named(type.getName());
  }

  /** Returns what a type means that Spark does not read; an empty text for another one. */
  private static String meaning(LogicalTypeAnnotation type) {
    if (type instanceof TimestampLogicalTypeAnnotation time && time.getUnit() == TimeUnit.NANOS) {
      return time.isAdjustedToUTC() ? "INSTANT NANOS" : "CLOCK NANOS";
    }
    if (type instanceof TimeLogicalTypeAnnotation time) {
      return "TIME " + time.getUnit();
    }
    if (type instanceof DecimalLogicalTypeAnnotation number
        && number.getPrecision() > DecimalType.MAX_PRECISION()) {
      return "DECIMAL " + number.getScale();
    }
    if (type instanceof UUIDLogicalTypeAnnotation) {
      return "UUID";
    }
    if (type instanceof Float16LogicalTypeAnnotation) {
      return "FLOAT16";
    }
    return type instanceof IntervalLogicalTypeAnnotation ? "INTERVAL" : "";
  }
}
