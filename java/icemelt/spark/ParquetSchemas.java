package icemelt.spark;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.FileMetaData;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.spark.sql.classic.SparkSession;

/** Which Parquet files have the same columns. */
public final class ParquetSchemas {
  private static final String SPARKS_SCHEMA = "org.apache.spark.sql.parquet.row.metadata";

  private ParquetSchemas() {}

  /** Returns for each file a text that files of the same columns share. */
  public static List<String> read(SparkSession session, List<String> files) {
    return EachFile.ask(session, files, ParquetSchemas::ofFile);
  }

  private static String ofFile(String location, Configuration conf) throws IOException {
    try (ParquetFileReader reader =
        ParquetFileReader.open(HadoopInputFile.fromPath(new Path(location), conf))) {
      FileMetaData footer = reader.getFileMetaData();
      String sparks = footer.getKeyValueMetaData().get(SPARKS_SCHEMA);
      return footer.getSchema() + "\n" + sparks;
    }
  }
}
