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
 * Iceberg's Parquet files of Spark's rows, whose writer looks at the sizes of pages after a few rows
 * (ADR 22). Its own default is a hundred rows, which who writes and who reads has in memory at once,
 * whatever their sizes. What a table has as its property goes first.
 */
final class ShortPages implements FormatModel<InternalRow, StructType> {
  /** Of fewer rows a page could not tell whether a dictionary is worth having. */
  private static final String ROWS = "4";

  private final FormatModel<InternalRow, StructType> own;

  ShortPages(FormatModel<InternalRow, StructType> own) {
    this.own = own;
  }

  @Override
  public ModelWriteBuilder<InternalRow, StructType> writeBuilder(EncryptedOutputFile file) {
    return own.writeBuilder(file)
        .set(TableProperties.PARQUET_ROW_GROUP_CHECK_MIN_RECORD_COUNT, ROWS);
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
