package icemelt.spark;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.parquet.ParquetUtil;
import org.apache.iceberg.relocated.com.google.common.util.concurrent.MoreExecutors;
import org.apache.iceberg.shaded.org.apache.parquet.ParquetReadOptions;
import org.apache.iceberg.shaded.org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.iceberg.shaded.org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.metadata.ParquetMetadata;

/** Appends of Parquet files that others have written, each in one request of Python's. */
public final class ParquetAppends {
  // bytes at both ends of a Parquet file; before the last are the footer and its length
  private static final int MAGIC = 4;
  private static final ParquetReadOptions OPTIONS =
      ParquetReadOptions.builder(new PlainParquetConfiguration()).build();

  private ParquetAppends() {}

  /** Returns the location of a new data file of a table. */
  public static String newLocation(Table table, String name) {
    return table.locationProvider().newDataLocation(name);
  }

  /**
   * Commits a file to a table without partitions, with the metrics of the file's own footer. The
   * footer is given as a Parquet file without rows, so that the file is not opened again.
   */
  public static void commit(Table table, FileIO io, String location, byte[] footer)
      throws IOException {
    InputFile file = io.newInputFile(location);
    int length = footer.length - 2 * MAGIC - Integer.BYTES;
    ByteArrayInputStream bytes = new ByteArrayInputStream(footer, MAGIC, length);
    ParquetMetadata metadata =
        new ParquetMetadataConverter(OPTIONS)
            .readParquetMetadata(bytes, ParquetMetadataConverter.NO_FILTER, null, false, length);
    Metrics metrics =
        ParquetUtil.footerMetrics(metadata, Stream.empty(), MetricsConfig.forTable(table));
    DataFile made =
        DataFiles.builder(table.spec())
            .withInputFile(file)
            .withFormat("PARQUET")
            .withMetrics(metrics)
            .build();
    table
        .newAppend()
        .scanManifestsWith(MoreExecutors.newDirectExecutorService())
        .appendFile(made)
        .commit();
  }
}
