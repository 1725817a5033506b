package icemelt.spark;

import com.univocity.parsers.csv.CsvWriterSettings;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.csv.CSVOptions;
import org.apache.spark.sql.execution.datasources.CodecStreams;
import org.apache.spark.sql.execution.datasources.OutputWriter;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat;
import org.apache.spark.sql.execution.datasources.csv.CsvOutputWriter;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.Map;

/**
 * Spark's CSV files of texts, whose values are read back as they are. Spark's own writer puts what
 * ends a record in the place of a line feed inside of quotes, and writes a byte order mark at the
 * start of a file, which readers pass over, without quotes, as it does a value that ends in a part
 * of a long delimiter.
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

    @Override
    public CsvWriterSettings asWriterSettings() {
      CsvWriterSettings settings = super.asWriterSettings();
      settings.setNormalizeLineEndingsWithinQuotes(false);
      settings.setQuotationTriggers(triggers());
      return settings;
    }

    /**
     * Returns the characters for which a value is in quotes. A
     * value that ends in a part of a long delimiter would make a delimiter of it earlier. What takes
     * the meaning from other characters outside of quotes may be none inside.
     */
    private char[] triggers() {
      String delimiter = delimiter();
      String starts = delimiter.length() == 1 ? "" : delimiter.substring(0, 1);
      return (BYTE_ORDER_MARK + starts + plainEscape).toCharArray();
    }
  }

  /** Writes texts as they are: what takes the meaning from separators in them is there already. */
  private static final class PlainWriter extends OutputWriter {
    private final String path;
    private final OutputStream file;
    private final byte[] delimiter;
    private final byte[] recordEnd;
    private final byte[] nothing;
    private final int count;

    PlainWriter(
        String path, StructType schema, TaskAttemptContext context, CSVOptions options) {
      this.path = path;
      count = schema.length();
      delimiter = options.delimiter().getBytes(StandardCharsets.UTF_8);
      recordEnd = options.lineSeparatorInWrite().get().getBytes(StandardCharsets.UTF_8);
      nothing = options.nullValue().getBytes(StandardCharsets.UTF_8);
      file = new BufferedOutputStream(CodecStreams.createOutputStream(context, new Path(path)));
      if (options.headerFlag()) {
        String names = String.join(options.delimiter(), schema.fieldNames());
        put(names.getBytes(StandardCharsets.UTF_8));
        put(recordEnd);
      }
    }

    @Override
    public void write(InternalRow row) {
      for (int at = 0; at < count; at++) {
        if (at > 0) {
          put(delimiter);
        }
        put(row.isNullAt(at) ? nothing : row.getUTF8String(at).getBytes());
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

    private final CSVOptions options;

    Writers(CSVOptions options) {
      this.options = options;
    }

    @Override
    public OutputWriter newInstance(String path, StructType schema, TaskAttemptContext context) {
      return options.quote() == NO_QUOTE
          ? new PlainWriter(path, schema, context, options)
          : new CsvOutputWriter(path, schema, context, options);
    }

    @Override
    public String getFileExtension(TaskAttemptContext context) {
      return "." + options.extension() + CodecStreams.getCompressionExtension(context);
    }
  }
}
