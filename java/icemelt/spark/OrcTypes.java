package icemelt.spark;

import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.orc.TypeDescription;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.orc.OrcUtils;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import scala.Option;

/**
 * Schemas of ORC files as they are meant: a TIMESTAMP is a wall clock, where Spark has not written that
 * it is an instant, and a TIMESTAMP WITH LOCAL TIME ZONE an instant.
 */
public final class OrcTypes {
  /** What Spark writes beside a type for its own. */
  private static final String SPARKS_TYPE = "spark.sql.catalyst.type";

  private OrcTypes() {}

  /** Returns the schema of each file, as Spark's JSON. */
  public static List<String> read(SparkSession session, List<String> files) {
    SerializableConfiguration conf =
        new SerializableConfiguration(session.sessionState().newHadoopConf());
    JavaSparkContext context = JavaSparkContext.fromSparkContext(session.sparkContext());
    int parts = Math.min(files.size(), 8 * context.defaultParallelism());
    return context.parallelize(files, parts).map(file -> ofFile(file, conf.value())).collect();
  }

  /** Returns a schema that has the columns of several; null where a column has types of two kinds. */
  public static String merge(List<String> schemas) {
    StructType merged = (StructType) DataType.fromJson(schemas.get(0));
    for (String schema : schemas) {
      try {
        merged = merged.merge((StructType) DataType.fromJson(schema), false);
      } catch (Exception error) {
        // Scala does not declare it
        if (error instanceof SparkException) {
          return null;
        }
        throw error;
      }
    }
    return merged.json();
  }

  private static String ofFile(String location, Configuration conf) {
    Option<TypeDescription> schema = OrcUtils.readSchema(new Path(location), conf, false);
    if (schema.isEmpty()) {
      return new StructType().json();
    }
    TypeDescription meant = schema.get().clone();
    mark(meant);
    return OrcUtils.toCatalystSchema(meant).json();
  }

  private static void mark(TypeDescription type) {
    if (type.getAttributeValue(SPARKS_TYPE) == null) {
      switch (type.getCategory()) {
        case TIMESTAMP -> type.setAttribute(SPARKS_TYPE, "timestamp_ntz");
        case TIMESTAMP_INSTANT -> type.setAttribute(SPARKS_TYPE, "timestamp");
        default -> {
          // as Spark reads it
        }
      }
    }
    if (type.getChildren() != null) {
      type.getChildren().forEach(OrcTypes::mark);
    }
  }
}
