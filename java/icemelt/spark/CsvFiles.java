package icemelt.spark;

import com.univocity.parsers.csv.CsvWriterSettings;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.spark.sql.SparkSession;
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
     * Returns the characters for which a value is in quotes: none where there are no quotes. A
     * value that ends in a part of a long delimiter would make a delimiter of it earlier. What takes
     * the meaning from other characters outside of quotes may be none inside.
     */
    private char[] triggers() {
      if (quote() == NO_QUOTE) {
        return new char[0];
      }
      String delimiter = delimiter();
      String starts = delimiter.length() == 1 ? "" : delimiter.substring(0, 1);
      return (BYTE_ORDER_MARK + starts + plainEscape).toCharArray();
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
      return new CsvOutputWriter(path, schema, context, options);
    }

    @Override
    public String getFileExtension(TaskAttemptContext context) {
      return "." + options.extension() + CodecStreams.getCompressionExtension(context);
    }
  }
}
