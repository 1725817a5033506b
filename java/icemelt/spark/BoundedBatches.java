package icemelt.spark;

import java.io.IOException;
import java.util.Map;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Schema;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.formats.FormatModel;
import org.apache.iceberg.formats.ModelWriteBuilder;
import org.apache.iceberg.formats.ReadBuilder;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.CloseableIterator;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.mapping.NameMapping;
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
    return new Builder(file);
  }

  /** Iceberg's builder, whose batches a {@link BoundedReader} divides. */
  private static final class Builder implements ReadBuilder<ColumnarBatch, StructType> {
    private final ReadBuilder<ColumnarBatch, StructType> inner;
    private BoundedReader reader;

    Builder(InputFile file) {
      inner =
          ParquetFormatModel.<ColumnarBatch, StructType>create(
                  ColumnarBatch.class,
                  StructType.class,
                  (schema, fileSchema, engineSchema, constants) -> {
                    reader =
                        new BoundedReader(
                            VectorizedSparkParquetReaders.buildReader(
                                schema, fileSchema, constants));
                    return reader;
                  })
              .readBuilder(file);
    }

    @Override
    public CloseableIterable<ColumnarBatch> build() {
      CloseableIterable<ColumnarBatch> whole = inner.build();
      return new CloseableIterable<>() {
        @Override
        public CloseableIterator<ColumnarBatch> iterator() {
          // the reader is made here, after the file was opened
          CloseableIterator<ColumnarBatch> batches = whole.iterator();
          return reader.divide(batches);
        }

        @Override
        public void close() throws IOException {
          whole.close();
        }
      };
    }

    @Override
    public Builder split(long start, long length) {
      inner.split(start, length);
      return this;
    }

    @Override
    public Builder project(Schema schema) {
      inner.project(schema);
      return this;
    }

    @Override
    public Builder engineProjection(StructType schema) {
      inner.engineProjection(schema);
      return this;
    }

    @Override
    public Builder caseSensitive(boolean caseSensitive) {
      inner.caseSensitive(caseSensitive);
      return this;
    }

    @Override
    public Builder filter(Expression filter) {
      inner.filter(filter);
      return this;
    }

    @Override
    public Builder set(String key, String value) {
      inner.set(key, value);
      return this;
    }

    @Override
    public Builder reuseContainers() {
      inner.reuseContainers();
      return this;
    }

    @Override
    public Builder recordsPerBatch(int rows) {
      inner.recordsPerBatch(rows);
      return this;
    }

    @Override
    public Builder idToConstant(Map<Integer, ?> constants) {
      inner.idToConstant(constants);
      return this;
    }

    @Override
    public Builder withNameMapping(NameMapping mapping) {
      inner.withNameMapping(mapping);
      return this;
    }
  }
}
