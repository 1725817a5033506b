package icemelt.spark;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.csv.CSVOptions;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.execution.datasources.CodecStreams;
import org.apache.spark.sql.execution.datasources.OutputWriter;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Option;
import scala.collection.immutable.Map;

/**
 * CSV files of texts, whose values are read back as they are. Spark's own writer puts what ends a
 * record in the place of a line feed inside of quotes, puts the text for NULL into quotes where it
 * has an escape character, and writes without quotes a byte order mark at the start of a file,
 * which readers pass over, and a value that ends in a part of a long delimiter.
 */
public final class CsvFiles extends CSVFileFormat {
  private static final long serialVersionUID = 1;

  /** The option for the escape character of values without quotes. */
  private static final String PLAIN_ESCAPE = "plainEscape";

  private static final char BYTE_ORDER_MARK = '\uFEFF';
  // what Spark makes of an empty text in the option
  private static final char NO_QUOTE = '\0';

  @Override
  public OutputWriterFactory prepareWrite(
      SparkSession session, Job job, Map<String, String> options, StructType schema) {
    // it refuses what is no text, and sets the compression
    super.prepareWrite(session, job, options, schema);
    return new Writers(new Options(options));
  }

  private static final class Options extends CSVOptions {
    private static final long serialVersionUID = 1;

    private final String plainEscape;

    Options(Map<String, String> options) {
      // pruning is for readers, and texts have no time zone
      super(options, false, "UTC");
      Option<String> escape = options.get(PLAIN_ESCAPE);
      plainEscape = escape.isDefined() ? escape.get() : "";
    }

    /**
     * Returns the characters for which a value is in quotes, none if there are no quotes. A value
     * that ends in a part of a long delimiter would make a delimiter of it earlier. What takes the
     * meaning from other characters outside of quotes may be none inside.
     */
    String triggers() {
      if (quote() == NO_QUOTE) {
        return "";
      }
      String ends = "\r\n" + lineSeparatorInWrite().get().charAt(0);
      return ends + delimiter().charAt(0) + quote() + escape() + plainEscape + BYTE_ORDER_MARK;
    }
  }

  /**
   * Writes texts, in quotes where it takes them. Where there are no quotes a text is written as it
   * is: what takes the meaning from separators in it is there already.
   */
  private static final class Writer extends OutputWriter {
    private final String path;
    private final String triggers;
    private final String quote;
    private final String escape;
    private final OutputStream file;
    private final byte[] delimiter;
    private final byte[] recordEnd;
    private final byte[] nothing;
    private final int count;

    Writer(String path, StructType schema, TaskAttemptContext context, Options options) {
      this.path = path;
      triggers = options.triggers();
      quote = String.valueOf(options.quote());
      escape = String.valueOf(options.escape());
      count = schema.length();
      delimiter = options.delimiter().getBytes(StandardCharsets.UTF_8);
      recordEnd = options.lineSeparatorInWrite().get().getBytes(StandardCharsets.UTF_8);
      nothing = options.nullValue().getBytes(StandardCharsets.UTF_8);
      file = new BufferedOutputStream(CodecStreams.createOutputStream(context, new Path(path)));
      if (options.headerFlag()) {
        Object[] names = Stream.of(schema.fieldNames()).map(UTF8String::fromString).toArray();
        write(new GenericInternalRow(names));
      }
    }

    @Override
    public void write(InternalRow row) {
      for (int at = 0; at < count; at++) {
        if (at > 0) {
          put(delimiter);
        }
        if (row.isNullAt(at)) {
          put(nothing);
        } else {
          put(row.getUTF8String(at));
        }
      }
      put(recordEnd);
    }

    @Override
    public void close() {
      try {
        file.close();
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    }

    @Override
    public String path() {
      return path;
    }

    private void put(UTF8String value) {
      String text = triggers.isEmpty() ? "" : value.toString();
      boolean isQuoted = !triggers.isEmpty() && (text.isEmpty() || hasTrigger(text));
      if (!isQuoted) {
        put(value.getBytes());
        return;
      }
      String escaped = escape.equals(quote) ? text : text.replace(escape, escape + escape);
      escaped = escaped.replace(quote, escape + quote);
      put((quote + escaped + quote).getBytes(StandardCharsets.UTF_8));
    }

    private boolean hasTrigger(String text) {
      return text.chars().anyMatch(character -> triggers.indexOf(character) >= 0);
    }

    private void put(byte[] bytes) {
      try {
        file.write(bytes);
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    }
  }

  private static final class Writers extends OutputWriterFactory {
    private static final long serialVersionUID = 1;

    private final Options options;

    Writers(Options options) {
      this.options = options;
    }

    @Override
    public OutputWriter newInstance(String path, StructType schema, TaskAttemptContext context) {
      return new Writer(path, schema, context, options);
    }

    @Override
    public String getFileExtension(TaskAttemptContext context) {
      return "." + options.extension() + CodecStreams.getCompressionExtension(context);
    }
  }
}
