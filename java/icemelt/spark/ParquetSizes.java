package icemelt.spark;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.Util;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.io.SeekableInputStream;
import org.apache.spark.sql.classic.SparkSession;

/**
 * Sizes that Parquet files say of themselves. Readers make arrays of these before they read, so that
 * one number that is damaged, or that somebody chose, takes all memory of a Java that others use.
 * The headers of pages are read, and no page.
 */
public final class ParquetSizes {
  /** Of Java's memory that a page may take, one part. */
  private static final int PARTS = 8;
  /** Some writers left the header of the dictionary out of the size of a column. */
  private static final int SLACK = 1024;

  /** How the fault of a file begins that is packed as no reader with a bound unpacks it. */
  public static final String UNBOUNDED = "unbounded: ";

  private ParquetSizes() {}

  /**
   * Returns for each file what is wrong with it, an empty text for nothing. A text that begins with
   * {@code UNBOUNDED} names the column whose compression has a reader without a bound.
   */
  public static List<String> faults(SparkSession spark, List<String> files) {
    return EachFile.ask(spark, files, ParquetSizes::fault);
  }

  private static String fault(String location, Configuration conf) throws IOException {
    HadoopInputFile file = HadoopInputFile.fromPath(new Path(location), conf);
    try (ParquetFileReader reader = ParquetFileReader.open(file);
        SeekableInputStream stream = file.newStream()) {
      long left = file.getLength();
      for (BlockMetaData block : reader.getRowGroups()) {
        for (ColumnChunkMetaData column : block.getColumns()) {
          left -= Math.max(column.getTotalSize(), 0);
          String found = left < 0 ? "its columns are larger than it"
              : ofColumn(column, stream, file.getLength());
          if (!found.isEmpty()) {
            return found;
          }
        }
      }
      return "";
    } catch (IOException | RuntimeException error) {
      if (Thread.currentThread().isInterrupted()) {
        throw error;
      }
      // Spark finds it, too, and says what it is
      return "";
    }
  }

  private static String ofColumn(ColumnChunkMetaData column, SeekableInputStream stream, long length)
      throws IOException {
    long start = column.getStartingPos();
    long size = column.getTotalSize();
    String name = "column '" + column.getPath().toDotString() + "'";
    if (start < 0 || size < 0 || start > length - size) {
      return name + " is not within the file";
    }
    if (column.getCodec() == CompressionCodecName.LZ4) {
      return UNBOUNDED + name;
    }
    if (column.isEncrypted()) {
      return "";
    }
    long place = start;
    long end = Math.min(start + size + SLACK, length);
    for (long values = 0; values < column.getValueCount() && place < end; ) {
      if (Thread.currentThread().isInterrupted()) {
        throw new IOException("The task was cancelled.");
      }
      stream.seek(place);
      PageHeader page = Util.readPageHeader(stream);
      long body = stream.getPos();
      long count = values(page);
      String found = ofPage(page, count, length - body, column.getCodec(), stream);
      if (!found.isEmpty()) {
        return name + " " + found;
      }
      values += page.isSetDictionary_page_header() ? 0 : count;
      place = body + page.getCompressed_page_size();
    }
    return "";
  }

  private static long values(PageHeader page) {
    if (page.isSetDictionary_page_header()) {
      return page.getDictionary_page_header().getNum_values();
    }
    if (page.isSetData_page_header()) {
      return page.getData_page_header().getNum_values();
    }
    return page.isSetData_page_header_v2() ? page.getData_page_header_v2().getNum_values() : 0;
  }

  private static String ofPage(
      PageHeader page, long count, long left, CompressionCodecName codec, SeekableInputStream stream)
      throws IOException {
    long most = Math.min(Runtime.getRuntime().maxMemory() / PARTS, Integer.MAX_VALUE - 8);
    long packed = page.getCompressed_page_size();
    long unpacked = page.getUncompressed_page_size();
    if (packed < 0 || packed > left || levels(page) < 0 || levels(page) > packed) {
      return "has a page that is not within the file";
    }
    if (codec == CompressionCodecName.SNAPPY && isPacked(page) && unpacked <= most) {
      stream.seek(stream.getPos() + levels(page));
      unpacked = Math.max(unpacked, snappyLength(stream, packed - levels(page)));
    }
    if (unpacked < 0 || unpacked > most) {
      return "has a page of " + unpacked + " bytes, more than the " + most + " that fit";
    }
    long mostValues = page.isSetDictionary_page_header() ? unpacked : most / Integer.BYTES;
    if (count < 0 || count > mostValues) {
      return "has a page of " + count + " values, more than the " + mostValues + " that fit";
    }
    return "";
  }

  private static boolean isPacked(PageHeader page) {
    return !page.isSetData_page_header_v2() || page.getData_page_header_v2().isIs_compressed();
  }

  /** Returns how many bytes of a page stand before what is packed, less than 0 for nonsense. */
  private static long levels(PageHeader page) {
    if (!page.isSetData_page_header_v2()) {
      return 0;
    }
    long repetition = page.getData_page_header_v2().getRepetition_levels_byte_length();
    long definition = page.getData_page_header_v2().getDefinition_levels_byte_length();
    return repetition < 0 || definition < 0 ? -1 : repetition + definition;
  }

  /** Returns the length that a text of Snappy begins with: seven bits a byte, the lowest first. */
  private static long snappyLength(SeekableInputStream stream, long packed) throws IOException {
    long length = 0;
    for (int shift = 0; shift < 35 && packed > shift / 7; shift += 7) {
      int part = stream.read();
      length |= (long) (part & 0x7f) << shift;
      if (part < 0x80) {
        break;
      }
    }
    return length;
  }
}
