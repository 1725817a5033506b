package icemelt.spark;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.iceberg.FileContent;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.Schema;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.formats.FormatModel;
import org.apache.iceberg.formats.ModelWriteBuilder;
import org.apache.iceberg.formats.ReadBuilder;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.io.InputFile;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;

/**
 * Iceberg's Parquet files of Spark's rows, whose writer looks at the sizes of pages every few rows
 * (ADR 22). Its own default is after 100 to 10,000 rows: the rows of a page are in memory at once when
 * it is written and when it is read, whatever their sizes.
 */
final class ShortPages implements FormatModel<InternalRow, StructType> {
  /** Of fewer rows a page could not tell whether a dictionary is worth having. */
  private static final String LEAST_ROWS = "4";
  private static final String MOST_ROWS = "16";

  private final FormatModel<InternalRow, StructType> own;

  ShortPages(FormatModel<InternalRow, StructType> own) {
    this.own = own;
  }

  @Override
  public ModelWriteBuilder<InternalRow, StructType> writeBuilder(EncryptedOutputFile file) {
    return new Builder(own.writeBuilder(file));
  }

  @Override
  public ReadBuilder<InternalRow, StructType> readBuilder(InputFile file) {
    return own.readBuilder(file);
  }

  @Override
  public FileFormat format() {
    return own.format();
  }

  @Override
  public Class<? extends InternalRow> type() {
    return own.type();
  }

  @Override
  public Class<StructType> schemaType() {
    return own.schemaType();
  }

  /** Iceberg's builder, on which the two numbers of rows have the last word. */
  private record Builder(ModelWriteBuilder<InternalRow, StructType> inner)
      implements ModelWriteBuilder<InternalRow, StructType> {
    @Override
    public FileAppender<InternalRow> build() throws IOException {
      inner.set(TableProperties.PARQUET_ROW_GROUP_CHECK_MIN_RECORD_COUNT, LEAST_ROWS);
      inner.set(TableProperties.PARQUET_ROW_GROUP_CHECK_MAX_RECORD_COUNT, MOST_ROWS);
      return inner.build();
    }

    @Override
    public Builder schema(Schema schema) {
      inner.schema(schema);
      return this;
    }

    @Override
    public Builder engineSchema(StructType schema) {
      inner.engineSchema(schema);
      return this;
    }

    @Override
    public Builder set(String property, String value) {
      inner.set(property, value);
      return this;
    }

    @Override
    public Builder meta(String property, String value) {
      inner.meta(property, value);
      return this;
    }

    @Override
    public Builder meta(Map<String, String> properties) {
      inner.meta(properties);
      return this;
    }

    @Override
    public Builder content(FileContent content) {
      inner.content(content);
      return this;
    }

    @Override
    public Builder metricsConfig(MetricsConfig config) {
      inner.metricsConfig(config);
      return this;
    }

    @Override
    public Builder overwrite() {
      inner.overwrite();
      return this;
    }

    @Override
    public Builder withFileEncryptionKey(ByteBuffer key) {
      inner.withFileEncryptionKey(key);
      return this;
    }

    @Override
    public Builder withAADPrefix(ByteBuffer prefix) {
      inner.withAADPrefix(prefix);
      return this;
    }
  }
}
