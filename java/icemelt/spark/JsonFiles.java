package icemelt.spark;

import icemelt.spark.JsonDocuments.OuterArray;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.execution.datasources.CodecStreams;
import org.apache.spark.sql.execution.datasources.HadoopFileLinesReader;
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
 * JSON files as texts, one for each document: documents may take several lines, and a line may have
 * several. A text that is no document is the line at which {@link JsonDocuments} finds that out.
 *
 * <p>Spark divides a large file among tasks, which begin at a line. The first line of the file tells
 * each of them what to do: where it ends with a document, so does every line; else the first task
 * reads all of the file.
 *
 * <p>The option {@code outerArray} is the name of an {@link OuterArray}.
 */
public final class JsonFiles extends TextFileFormat {
  private static final long serialVersionUID = 1;

  /** The option for what an outer array is. */
  private static final String OUTER_ARRAY = "outerArray";

  /** The bytes of a first line; a file with a longer one is read by one task. */
  private static final int MOST_BYTES = 16 << 20;

  private static final int BYTE_ORDER_MARK = '\uFEFF';

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
    return new Reader(sent, OuterArray.valueOf(options.apply(OUTER_ARRAY)), !required.isEmpty());
  }

  private static final class Reader
      extends AbstractFunction1<PartitionedFile, Iterator<InternalRow>> implements Serializable {
    private static final long serialVersionUID = 1;

    private final Broadcast<SerializableConfiguration> settings;
    private final OuterArray outer;
    private final boolean hasText;

    Reader(Broadcast<SerializableConfiguration> settings, OuterArray outer, boolean hasText) {
      this.settings = settings;
      this.outer = outer;
      this.hasText = hasText;
    }

    @Override
    public Iterator<InternalRow> apply(PartitionedFile part) {
      Configuration read = settings.value().value();
      boolean isWhole = part.start() == 0 && part.length() >= part.fileSize();
      boolean isByLines = !isWhole && endsDocument(readFirstLine(read, part));
      if (isWhole || isByLines) {
        return rows(part, read, isWhole);
      }
      return part.start() == 0 ? rows(whole(part), read, true) : Iterator$.MODULE$.empty();
    }

    private Iterator<InternalRow> rows(PartitionedFile part, Configuration read, boolean isWhole) {
      HadoopFileLinesReader lines = new HadoopFileLinesReader(part, read);
      TaskContext task = TaskContext.get();
      if (task != null) {
        task.addTaskCompletionListener((TaskCompletionListener) ended -> lines.close());
      }
      return new Rows(new JsonDocuments(lines, isWhole, outer), hasText);
    }
  }

  private static final class Rows extends AbstractIterator<InternalRow> {
    private final JsonDocuments documents;
    private final boolean hasText;
    private final UnsafeRowWriter writer;

    Rows(JsonDocuments documents, boolean hasText) {
      this.documents = documents;
      this.hasText = hasText;
      writer = new UnsafeRowWriter(hasText ? 1 : 0);
    }

    @Override
    public boolean hasNext() {
      return documents.hasNext();
    }

    @Override
    public InternalRow next() {
      Text text = documents.next();
      writer.reset();
      if (hasText) {
        writer.zeroOutNullBytes();
        writer.write(0, text.getBytes(), 0, text.getLength());
      }
      return writer.getRow();
    }
  }

  private static PartitionedFile whole(PartitionedFile part) {
    return part.copy(
        part.partitionValues(), part.filePath(), 0, part.fileSize(), part.locations(),
        part.modificationTime(), part.fileSize(), part.otherConstantMetadataColumnValues());
  }

  private static boolean endsDocument(String line) {
    return line != null && JsonDocuments.endsDocument(line);
  }

  /** Returns the first line of a file that is not blank; null of a long one, and where is none. */
  private static String readFirstLine(Configuration read, PartitionedFile part) {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    try (InputStream file =
        new BufferedInputStream(CodecStreams.createInputStream(read, part.toPath()))) {
      int next;
      while ((next = file.read()) >= 0 && line.size() < MOST_BYTES) {
        line.write(next);
        if (next == '\n' || next == '\r') {
          String text = line.toString(StandardCharsets.UTF_8);
          text = text.codePointAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
          if (!text.isBlank()) {
            return text;
          }
          line.reset();
        }
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return null;
  }
}
