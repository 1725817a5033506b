package icemelt.spark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.iceberg.io.CloseableIterator;
import org.apache.iceberg.parquet.ParquetUtil;
import org.apache.iceberg.parquet.VectorizedReader;
import org.apache.iceberg.shaded.org.apache.parquet.column.ColumnDescriptor;
import org.apache.iceberg.shaded.org.apache.parquet.column.Encoding;
import org.apache.iceberg.shaded.org.apache.parquet.column.page.PageReadStore;
import org.apache.iceberg.shaded.org.apache.parquet.column.page.PageReader;
import org.apache.iceberg.shaded.org.apache.parquet.column.statistics.SizeStatistics;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.iceberg.shaded.org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Reads the batches of a file in parts, each of as many rows as take up to {@link #BYTES}, or of one
 * row. Iceberg asks for a batch by its number of rows; the parts of it are read one by one.
 *
 * <p>The footer of the file says of which columns a batch cannot be large. Pages of the other columns
 * are read ahead, up to the same bytes: only the sizes of pages bound the sizes of single values.
 */
final class BoundedReader implements VectorizedReader<ColumnarBatch> {
  /** The bytes of a part, those of all its columns together. */
  static final long BYTES = 16 << 20;

  private final VectorizedReader<ColumnarBatch> whole;
  private final List<MeasuredPages> measured = new ArrayList<>();
  private long bytes = BYTES;
  private int left;
  private ColumnarBatch part;
  private int rowsOfPart;

  BoundedReader(VectorizedReader<ColumnarBatch> whole) {
    this.whole = whole;
  }

  /** Returns the parts of Iceberg's batches; {@code batches} calls {@link #read} for each batch. */
  CloseableIterator<ColumnarBatch> divide(CloseableIterator<ColumnarBatch> batches) {
    return new CloseableIterator<>() {
      @Override
      public boolean hasNext() {
        return left > 0 || batches.hasNext();
      }

      @Override
      public ColumnarBatch next() {
        if (left == 0) {
          batches.next();
        }
        return readPart();
      }

      @Override
      public void close() throws IOException {
        batches.close();
      }
    };
  }

  /** Notes how many rows Iceberg asks for; {@link #divide} returns them. */
  @Override
  public ColumnarBatch read(ColumnarBatch reuse, int rows) {
    left = rows;
    return null;
  }

  @Override
  public void setBatchSize(int rows) {
    // each part has its own
  }

  @Override
  public void setRowGroupInfo(PageReadStore pages, Map<ColumnPath, ColumnChunkMetaData> columns) {
    measured.clear();
    Set<ColumnPath> large = findLarge(columns.values());
    bytes = BYTES / Math.max(large.size(), 1);
    whole.setRowGroupInfo(large.isEmpty() ? pages : new Pages(pages, large), columns);
  }

  @Override
  public void close() {
    whole.close();
  }

  private ColumnarBatch readPart() {
    int rows = left;
    for (MeasuredPages column : measured) {
      rows = column.fit(rows, bytes);
    }
    whole.setBatchSize(rows);
    // vectors have room for as many rows as they were made for
    part = whole.read(rows <= rowsOfPart ? part : null, rows);
    rowsOfPart = rows;
    left -= rows;
    for (MeasuredPages column : measured) {
      column.pass(rows);
    }
    return part;
  }

  /** Returns the columns whose values together may take more than a part, by the footer. */
  private static Set<ColumnPath> findLarge(Collection<ColumnChunkMetaData> columns) {
    List<ColumnChunkMetaData> variable =
        columns.stream().filter(BoundedReader::hasValuesInVectors).toList();
    long share = BYTES / Math.max(variable.size(), 1);
    return variable.stream()
        .filter(column -> findMostBytes(column) > share)
        .map(ColumnChunkMetaData::getPath)
        .collect(Collectors.toSet());
  }

  /** Returns whether vectors have values of any length: not the numbers of a dictionary's values. */
  private static boolean hasValuesInVectors(ColumnChunkMetaData column) {
    return column.getPrimitiveType().getPrimitiveTypeName() == PrimitiveTypeName.BINARY
        && ParquetUtil.hasNonDictionaryPages(column);
  }

  /** Returns the bytes that the values of a column in a row group take at most. */
  private static long findMostBytes(ColumnChunkMetaData column) {
    SizeStatistics sizes = column.getSizeStatistics();
    Optional<Long> unpacked = sizes == null ? Optional.empty() : sizes.getUnencodedByteArrayDataBytes();
    boolean repeats = column.getEncodings().stream().anyMatch(BoundedReader::repeats);
    return unpacked.orElse(repeats ? Long.MAX_VALUE : column.getTotalUncompressedSize());
  }

  /** Returns whether pages are smaller than their values, in which others' parts are repeated. */
  private static boolean repeats(Encoding encoding) {
    return encoding.usesDictionary() || encoding == Encoding.DELTA_BYTE_ARRAY;
  }

  /** The pages of a row group, of which those of large columns are measured. */
  private final class Pages implements PageReadStore {
    private final PageReadStore all;
    private final Set<ColumnPath> large;

    Pages(PageReadStore all, Set<ColumnPath> large) {
      this.all = all;
      this.large = large;
    }

    @Override
    public PageReader getPageReader(ColumnDescriptor descriptor) {
      PageReader pages = all.getPageReader(descriptor);
      if (!large.contains(ColumnPath.get(descriptor.getPath()))) {
        return pages;
      }
      MeasuredPages reader = new MeasuredPages(pages);
      measured.add(reader);
      return reader;
    }

    @Override
    public long getRowCount() {
      return all.getRowCount();
    }

    @Override
    public Optional<Long> getRowIndexOffset() {
      return all.getRowIndexOffset();
    }

    @Override
    public Optional<PrimitiveIterator.OfLong> getRowIndexes() {
      return all.getRowIndexes();
    }

    @Override
    public void close() {
      all.close();
    }
  }
}
