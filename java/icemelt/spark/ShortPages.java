package icemelt.spark;

import org.apache.iceberg.FileFormat;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.formats.FormatModel;
import org.apache.iceberg.formats.ModelWriteBuilder;
import org.apache.iceberg.formats.ReadBuilder;
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
    return Builders.replaceBuild(
        ModelWriteBuilder.class,
        own.writeBuilder(file),
        builder ->
            // after all that was said: the two numbers of rows have the last word
            builder
                .set(TableProperties.PARQUET_ROW_GROUP_CHECK_MIN_RECORD_COUNT, LEAST_ROWS)
                .set(TableProperties.PARQUET_ROW_GROUP_CHECK_MAX_RECORD_COUNT, MOST_ROWS)
                .build());
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
}
