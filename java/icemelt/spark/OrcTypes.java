package icemelt.spark;

import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.orc.TypeDescription;
import org.apache.spark.SparkException;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.orc.OrcUtils;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import scala.Option;

/** Schemas of ORC files. */
public final class OrcTypes {
  /** What Spark's reader of ORC files does not read. */
  private static final TypeDescription.Category[] UNREAD = {
    TypeDescription.Category.TIMESTAMP_INSTANT, TypeDescription.Category.UNION
  };

  private static final String REFUSED = "refused: ";

  private OrcTypes() {}

  /** Returns the schema of each file, as Spark's JSON, or which type of the file is not read. */
  public static List<String> read(SparkSession session, List<String> files) {
    return EachFile.ask(session, files, OrcTypes::ofFile);
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

  private static String ofFile(String location, Configuration conf) throws IOException {
    Path path = new Path(location);
    Option<TypeDescription> schema = OrcUtils.readSchema(path, conf, false);
    if (schema.isEmpty() || schema.get().getChildren().isEmpty()) {
      // its reader takes a file of no bytes for one of no columns
      if (path.getFileSystem(conf).getFileStatus(path).getLen() == 0) {
        throw new EOFException(location + " has no bytes");
      }
      return new StructType().json();
    }
    for (TypeDescription.Category unread : UNREAD) {
      if (has(schema.get(), unread)) {
        return REFUSED + unread.getName().toUpperCase(Locale.ROOT);
      }
    }
    return OrcUtils.toCatalystSchema(schema.get()).json();
  }

  private static boolean has(TypeDescription type, TypeDescription.Category category) {
    return type.getCategory() == category
        || (type.getChildren() != null
            && type.getChildren().stream().anyMatch(child -> has(child, category)));
  }
}
