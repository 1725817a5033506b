package icemelt.spark;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.io.input.ReaderInputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.execution.datasources.CodecStreams;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.text.TextFileFormat;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;
import scala.Function1;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.collection.Iterator$;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/**
 * CSV files as rows of texts: {@code c0}, {@code c1}, … are the values of a record, NULL where it has
 * fewer. {@code icemelt_record} is the record's text where it has another number of values than
 * {@code columns}, or {@code icemelt_open}: the file ends within its quotes. {@code icemelt_fields}
 * is how many values it has.
 *
 * <p>Spark divides a large file among tasks where each line end outside of quotes is a record's. A
 * record is read by the task in whose part it begins.
 *
 * <p>The option {@code csv} is a {@link CsvFormat}, {@code columns} a number.
 */
public final class CsvRecords extends TextFileFormat {
  private static final long serialVersionUID = 1;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String RECORD = "icemelt_record";
  private static final String FIELDS = "icemelt_fields";
  private static final String OPEN = "icemelt_open";
  private static final int RECORD_TEXT = -1;
  private static final int FIELD_COUNT = -2;
  private static final int OPEN_QUOTE = -3;

  @Override
  public boolean isSplitable(SparkSession session, Map<String, String> options, Path path) {
    Configuration settings = session.sparkContext().hadoopConfiguration();
    return CsvFormat.of(options.apply("csv")).isDivisible()
        && new CompressionCodecFactory(settings).getCodec(path) == null;
  }

  @Override
  public Function1<PartitionedFile, Iterator<InternalRow>> buildReader(
      SparkSession session,
      StructType schema,
      StructType partitions,
      StructType required,
      Seq<Filter> filters,
      Map<String, String> options,
      Configuration settings) {
    Broadcast<SerializableConfiguration> sent = EachFile.sendSettings(session, settings);
    int columns = Integer.parseInt(options.apply("columns"));
    return new Reader(sent, CsvFormat.of(options.apply("csv")), fields(required), columns);
  }

  /** Returns which value of a record each column is. */
  private static int[] fields(StructType required) {
    String[] names = required.fieldNames();
    int[] fields = new int[names.length];
    for (int at = 0; at < names.length; at++) {
      fields[at] =
          switch (names[at]) {
            case RECORD -> RECORD_TEXT;
            case FIELDS -> FIELD_COUNT;
            case OPEN -> OPEN_QUOTE;
            default -> Integer.parseInt(names[at].substring(1));
          };
    }
    return fields;
  }

  /**
   * Returns the first records of a file, as an array of arrays of texts in JSON.
   *
   * @param begin the first bytes of the file
   * @param isWhole whether these are all bytes
   * @param written a {@link CsvFormat}
   * @param most how many records
   * @return each record's text before its values; null where more bytes are needed
   */
  public static String first(byte[] begin, boolean isWhole, String written, int most)
      throws IOException {
    CsvFormat format = CsvFormat.of(written);
    List<List<String>> records = new ArrayList<>();
    try (CsvParser parser = parser(format, new ByteArrayInputStream(begin), 0)) {
      parser.skipByteOrderMark();
      while (records.size() < most && parser.next()) {
        if (!isWhole && parser.isAtEnd()) {
          return null;
        }
        List<String> record = new ArrayList<>();
        record.add(text(parser.text()));
        for (int field = 0; field < parser.count(); field++) {
          record.add(text(parser.value(field)));
        }
        records.add(record);
      }
    }
    return records.size() == most || isWhole ? JSON.writeValueAsString(records) : null;
  }

  private static String text(byte[] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  private static CsvParser parser(CsvFormat format, InputStream input, long base)
      throws IOException {
    InputStream read = input;
    if (format.isConverted) {
      Charset own = Charset.forName(format.encoding);
      read =
          ReaderInputStream.builder()
              .setReader(new InputStreamReader(input, own))
              .setCharset(format.charset())
              .get();
    }
    return new CsvParser(format, read, base);
  }

  private static final class Reader
      extends AbstractFunction1<PartitionedFile, Iterator<InternalRow>> implements Serializable {
    private static final long serialVersionUID = 1;

    private final Broadcast<SerializableConfiguration> settings;
    private final CsvFormat format;
    private final int[] fields;
    private final int columns;

    Reader(
        Broadcast<SerializableConfiguration> settings, CsvFormat format, int[] fields,
        int columns) {
      this.settings = settings;
      this.format = format;
      this.fields = fields;
      this.columns = columns;
    }

    @Override
    public Iterator<InternalRow> apply(PartitionedFile part) {
      try {
        boolean isWhole = part.start() == 0 && part.length() >= part.fileSize();
        long end = isWhole ? Long.MAX_VALUE : part.start() + part.length();
        CsvParser parser = part.start() == 0 ? openFirst(part, end) : openLater(part, end);
        if (parser == null) {
          return Iterator$.MODULE$.empty();
        }
        closeAfterTask(parser);
        return new Rows(parser, fields, columns, end);
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    }

    /** Opens a file at its first record, behind a header that begins before a place. */
    private CsvParser openFirst(PartitionedFile part, long end) throws IOException {
      CsvParser parser = openWhole(part);
      try {
        parser.skipByteOrderMark();
        parser.skipLines(format.skippedLines);
        if (format.hasHeader) {
          parser.next(end);
        }
        return parser;
      } catch (IOException | RuntimeException error) {
        parser.close();
        throw error;
      }
    }

    private CsvParser openWhole(PartitionedFile part) throws IOException {
      Configuration read = settings.value().value();
      return parser(format, CodecStreams.createInputStream(read, part.toPath()), 0);
    }

    /** Opens a file at the first record of a later part; returns null where the part has none. */
    private CsvParser openLater(PartitionedFile part, long end) throws IOException {
      long start = part.start();
      long first = firstPlace(part, end);
      if (first >= start) {
        return first < end ? openFirst(part, end) : null;
      }
      Path path = part.toPath();
      FSDataInputStream file = path.getFileSystem(settings.value().value()).open(path);
      try {
        long from = CsvParser.lookBack(start);
        file.seek(from);
        CsvParser parser = parser(format, file, from);
        parser.skipTo(start);
        return parser;
      } catch (IOException | RuntimeException error) {
        file.close();
        throw error;
      }
    }

    /** Returns where the first record of a file begins, or a place from a later one on. */
    private long firstPlace(PartitionedFile part, long most) throws IOException {
      if (format.skippedLines == 0 && part.start() > CsvParser.LONGEST_MARK) {
        return 0;
      }
      try (CsvParser parser = openWhole(part)) {
        parser.skipByteOrderMark();
        for (int lines = format.skippedLines; lines > 0 && parser.place() < most; lines--) {
          parser.skipLines(1);
        }
        return parser.place();
      }
    }

    private static void closeAfterTask(CsvParser parser) {
      TaskContext task = TaskContext.get();
      if (task != null) {
        task.addTaskCompletionListener(
            (TaskCompletionListener)
                ended -> {
                  try {
                    parser.close();
                  } catch (IOException error) {
                    throw new UncheckedIOException(error);
                  }
                });
      }
    }
  }

  private static final class Rows extends AbstractIterator<InternalRow> {
    private final CsvParser parser;
    private final int[] fields;
    private final int columns;
    private final long end;
    private final UnsafeRowWriter writer;
    private boolean isRead;

    Rows(CsvParser parser, int[] fields, int columns, long end) {
      this.parser = parser;
      this.fields = fields;
      this.columns = columns;
      this.end = end;
      writer = new UnsafeRowWriter(fields.length);
    }

    @Override
    public boolean hasNext() {
      try {
        isRead = isRead || parser.next(end);
        return isRead;
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    }

    @Override
    public InternalRow next() {
      isRead = false;
      writer.reset();
      writer.zeroOutNullBytes();
      for (int at = 0; at < fields.length; at++) {
        write(at, fields[at]);
      }
      return writer.getRow();
    }

    private void write(int at, int field) {
      if (field >= 0) {
        parser.write(field, writer, at);
      } else if (field == FIELD_COUNT) {
        writer.write(at, parser.count());
      } else if (field == OPEN_QUOTE) {
        writer.write(at, parser.isOpen());
      } else if (parser.count() == columns && !parser.isOpen()) {
        writer.setNullAt(at);
      } else {
        byte[] text = parser.text();
        writer.write(at, text, 0, text.length);
      }
    }
  }
}
