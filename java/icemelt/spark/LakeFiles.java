package icemelt.spark;

import java.lang.reflect.Field;
import java.util.Map;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.formats.FormatModel;
import org.apache.iceberg.formats.FormatModelRegistry;
import org.apache.iceberg.io.ResolvingFileIO;
import org.apache.iceberg.util.Pair;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Access to the files of icemelt's tables. It goes with the tables to all executors: in a Java process
 * where it arrives, Parquet is read in bounded batches, and written in short pages (ADR 22).
 */
public final class LakeFiles extends ResolvingFileIO {
  private static final Pair<FileFormat, Class<?>> BATCHES =
      Pair.of(FileFormat.PARQUET, ColumnarBatch.class);
  private static final Pair<FileFormat, Class<?>> ROWS =
      Pair.of(FileFormat.PARQUET, InternalRow.class);

  static {
    Map<Pair<FileFormat, Class<?>>, FormatModel<?, ?>> models = findModels();
    models.put(BATCHES, new BoundedBatches());
    models.computeIfPresent(ROWS, (key, own) -> shorten(own));
  }

  public LakeFiles() {}

  @SuppressWarnings("unchecked")
  private static FormatModel<?, ?> shorten(FormatModel<?, ?> own) {
    return new ShortPages((FormatModel<InternalRow, StructType>) own);
  }

  /** Returns Iceberg's registry of formats, in which none can be replaced otherwise. */
  @SuppressWarnings("unchecked")
  private static Map<Pair<FileFormat, Class<?>>, FormatModel<?, ?>> findModels() {
    try {
      Field models = FormatModelRegistry.class.getDeclaredField("MODELS");
      models.setAccessible(true);
      return (Map<Pair<FileFormat, Class<?>>, FormatModel<?, ?>>) models.get(null);
    } catch (ReflectiveOperationException error) {
      throw new ExceptionInInitializerError(error);
    }
  }
}
