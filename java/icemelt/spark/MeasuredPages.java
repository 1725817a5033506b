package icemelt.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.apache.iceberg.shaded.org.apache.parquet.column.Encoding;
import org.apache.iceberg.shaded.org.apache.parquet.column.page.DataPage;
import org.apache.iceberg.shaded.org.apache.parquet.column.page.DataPageV1;
import org.apache.iceberg.shaded.org.apache.parquet.column.page.DataPageV2;
import org.apache.iceberg.shaded.org.apache.parquet.column.page.DictionaryPage;
import org.apache.iceberg.shaded.org.apache.parquet.column.page.PageReader;

/**
 * The pages of a column of texts or bytes in a row group, whose sizes are known before their values
 * are read. A page of up to the bytes of a batch bounds what its rows take, whatever their sizes; of
 * a larger page the mean is taken, as the whole page is in memory already.
 */
final class MeasuredPages implements PageReader {
  /** A page, of which some rows were not read yet. */
  private static final class Extent {
    private final long bytes;
    private final double bytesOfRow;
    private long rows;

    Extent(long rows, double bytesOfRow) {
      this.bytes = (long) Math.ceil(rows * bytesOfRow);
      this.bytesOfRow = bytesOfRow;
      this.rows = rows;
    }
  }

  private final PageReader pages;
  private final Deque<DataPage> ahead = new ArrayDeque<>();
  private final Deque<Extent> extents = new ArrayDeque<>();
  private long longestOfDictionary;

  MeasuredPages(PageReader pages) {
    this.pages = pages;
  }

  /** Returns how many of the next rows take up to some bytes, one at least. */
  int fit(int rows, long bytes) {
    long fitting = 0;
    long left = bytes;
    Iterator<Extent> known = extents.iterator();
    while (fitting < rows) {
      Extent extent = known.hasNext() ? known.next() : readAhead();
      if (extent == null) {
        break;
      }
      if (extent.bytes > left) {
        long some = fitting > 0 ? 0 : (long) Math.max(left / extent.bytesOfRow, 1);
        return (int) Math.min(rows, fitting + Math.min(some, extent.rows));
      }
      fitting += extent.rows;
      left -= extent.bytes;
    }
    return rows;
  }

  /** Notes that rows were read. */
  void pass(int rows) {
    long left = rows;
    while (!extents.isEmpty() && extents.peek().rows <= left) {
      left -= extents.poll().rows;
    }
    if (left > 0) {
      extents.element().rows -= left;
    }
  }

  @Override
  public DictionaryPage readDictionaryPage() {
    DictionaryPage page = pages.readDictionaryPage();
    if (page == null) {
      return null;
    }
    try {
      // the bytes of a page may be read once only
      DictionaryPage copy = page.copy();
      longestOfDictionary = findLongest(copy.getBytes().toByteBuffer(), copy.getDictionarySize());
      return copy;
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  @Override
  public long getTotalValueCount() {
    return pages.getTotalValueCount();
  }

  @Override
  public DataPage readPage() {
    return ahead.isEmpty() ? readNext() : ahead.poll();
  }

  /** Returns the extent of the next page, null after the last page. */
  private Extent readAhead() {
    DataPage page = readNext();
    if (page == null) {
      return null;
    }
    ahead.add(page);
    return extents.peekLast();
  }

  private DataPage readNext() {
    DataPage page = pages.readPage();
    if (page != null) {
      extents.add(new Extent(page.getValueCount(), findBytesOfRow(page)));
    }
    return page;
  }

  private double findBytesOfRow(DataPage page) {
    Encoding encoding = findEncoding(page);
    if (encoding.usesDictionary()) {
      return longestOfDictionary;
    }
    // a value repeats the beginning of the value before it: none is longer than the page
    boolean repeats = encoding == Encoding.DELTA_BYTE_ARRAY;
    return repeats ? page.getUncompressedSize()
        : (double) page.getUncompressedSize() / Math.max(page.getValueCount(), 1);
  }

  private static Encoding findEncoding(DataPage page) {
    return page.accept(
        new DataPage.Visitor<Encoding>() {
          @Override
          public Encoding visit(DataPageV1 first) {
            return first.getValueEncoding();
          }

          @Override
          public Encoding visit(DataPageV2 second) {
            return second.getDataEncoding();
          }
        });
  }

  /** Returns the length of the longest value: each value stands behind its length. */
  private static long findLongest(ByteBuffer buffer, int values) {
    ByteBuffer bytes = buffer.slice().order(ByteOrder.LITTLE_ENDIAN);
    int longest = 0;
    for (int value = 0; value < values && bytes.remaining() >= Integer.BYTES; value++) {
      int length = bytes.getInt();
      if (length < 0 || length > bytes.remaining()) {
        // the reader of the dictionary says what is wrong with it
        break;
      }
      longest = Math.max(longest, length);
      bytes.position(bytes.position() + length);
    }
    return longest;
  }
}
