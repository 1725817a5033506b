package icemelt.spark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.paths.SparkPath;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap$;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.DataSource;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation$;
import org.apache.spark.sql.execution.datasources.PartitionDirectory;
import org.apache.spark.sql.execution.datasources.v2.FileDataSourceV2;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Files whose sizes and times are known. Spark's own reader asks the store for each path twice, and
 * lists more than 32 of them in a job of its own.
 */
public final class KnownFiles implements FileIndex {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final FileStatus[] files;

  private KnownFiles(FileStatus[] files) {
    this.files = files;
  }

  /**
   * Returns the rows of files.
   *
   * @param session the session that reads
   * @param written a JSON object: {@code format}, a name as for Spark's reader; {@code schema}, as
   *     Spark writes one; {@code options} of the format; {@code files}, each its path, size in bytes
   *     and time of the last change in milliseconds since 1970
   */
  public static Dataset<Row> read(SparkSession session, String written) throws Exception {
    JsonNode read = JSON.readTree(written);
    JsonNode listed = read.get("files");
    FileStatus[] files = new FileStatus[listed.size()];
    for (int at = 0; at < files.length; at++) {
      JsonNode file = listed.get(at);
      Path path = new Path(file.get(0).textValue());
      files[at] = new FileStatus(file.get(1).longValue(), false, 1, 0, file.get(2).longValue(), path);
    }
    Map<String, String> options = new HashMap<>();
    for (Iterator<Map.Entry<String, JsonNode>> each = read.get("options").fields(); each.hasNext(); ) {
      Map.Entry<String, JsonNode> option = each.next();
      options.put(option.getKey(), option.getValue().textValue());
    }
    StructType schema = (StructType) DataType.fromJson(read.get("schema").textValue());
    HadoopFsRelation relation =
        new HadoopFsRelation(
            new KnownFiles(files), new StructType(), schema.asNullable(), Option.empty(),
            format(session, read.get("format").textValue()),
            CaseInsensitiveMap$.MODULE$.apply(
                scala.collection.immutable.Map.from(CollectionConverters.asScala(options))),
            session);
    return Dataset.ofRows(session, LogicalRelation$.MODULE$.apply(relation, false));
  }

  private static FileFormat format(SparkSession session, String name) throws Exception {
    Class<?> found = DataSource.lookupDataSource(name, session.sessionState().conf());
    Object made = found.getConstructor().newInstance();
    if (made instanceof FileDataSourceV2 source) {
      made = source.fallbackFileFormat().getConstructor().newInstance();
    }
    return (FileFormat) made;
  }

  @Override
  public Seq<Path> rootPaths() {
    return seq(Arrays.asList(files).stream().map(FileStatus::getPath).toList());
  }

  @Override
  public Seq<PartitionDirectory> listFiles(
      Seq<Expression> partitionFilters, Seq<Expression> dataFilters) {
    return seq(java.util.List.of(PartitionDirectory.apply(InternalRow.empty(), files)));
  }

  @Override
  public String[] inputFiles() {
    return Arrays.stream(files)
        .map(file -> SparkPath.fromFileStatus(file).urlEncoded())
        .toArray(String[]::new);
  }

  @Override
  public void refresh() {
    // they are what they were when they were looked at
  }

  @Override
  public long sizeInBytes() {
    return Arrays.stream(files).mapToLong(FileStatus::getLen).sum();
  }

  @Override
  public StructType partitionSchema() {
    return new StructType();
  }

  @Override
  public boolean equals(Object other) {
    // statuses are alike by their paths alone
    return other instanceof KnownFiles known
        && Arrays.equals(files, known.files)
        && sizeInBytes() == known.sizeInBytes();
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(files);
  }

  private static <T> Seq<T> seq(java.util.List<T> list) {
    return CollectionConverters.asScala(list).toSeq();
  }
}
