package icemelt.spark;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.formats.FormatModel;
import org.apache.iceberg.formats.ModelWriteBuilder;
import org.apache.iceberg.formats.ReadBuilder;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.CloseableIterator;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.parquet.ParquetFormatModel;
import org.apache.iceberg.spark.data.vectorized.VectorizedSparkParquetReaders;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Iceberg's reader of Parquet files for Spark, with batches that are bounded in bytes (ADR 22).
 * Iceberg's own batches have 5,000 rows, whatever the size of the rows.
 */
final class BoundedBatches implements FormatModel<ColumnarBatch, StructType> {
  @Override
  public FileFormat format() {
    return FileFormat.PARQUET;
  }

  @Override
  public Class<ColumnarBatch> type() {
    return ColumnarBatch.class;
  }

  @Override
  public Class<StructType> schemaType() {
    return StructType.class;
  }

  @Override
  public ModelWriteBuilder<ColumnarBatch, StructType> writeBuilder(EncryptedOutputFile file) {
    throw new UnsupportedOperationException("Spark writes rows, not batches.");
  }

  @Override
  public ReadBuilder<ColumnarBatch, StructType> readBuilder(InputFile file) {
    AtomicReference<BoundedReader> reader = new AtomicReference<>();
    ReadBuilder<ColumnarBatch, StructType> inner =
        ParquetFormatModel.<ColumnarBatch, StructType>create(
                ColumnarBatch.class,
                StructType.class,
                (schema, fileSchema, engineSchema, constants) -> {
                  reader.set(
                      new BoundedReader(
                          VectorizedSparkParquetReaders.buildReader(
                              schema, fileSchema, constants)));
                  return reader.get();
                })
            .readBuilder(file);
    return Builders.replaceBuild(
        ReadBuilder.class, inner, builder -> divide(builder.build(), reader));
  }

  /** Returns batches whose reader is made as the file is opened, in the reader's parts. */
  private static CloseableIterable<ColumnarBatch> divide(
      CloseableIterable<ColumnarBatch> whole, AtomicReference<BoundedReader> reader) {
    return new CloseableIterable<>() {
      @Override
      public CloseableIterator<ColumnarBatch> iterator() {
        CloseableIterator<ColumnarBatch> batches = whole.iterator();
        return reader.get().divide(batches);
      }

      @Override
      public void close() throws IOException {
        whole.close();
      }
    };
  }
}
