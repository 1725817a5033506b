package icemelt.spark;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.InterpretedMutableProjection;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.execution.arrow.ArrowConverters;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Rows that Spark has computed by planning a query, or computes in this thread, without a job. */
public final class LocalRows {
  private LocalRows() {}

  /**
   * Returns the rows of a query as an Arrow stream of one batch, in Base64, or null where there are
   * more than so many rows or bytes, or they need a job: neither the optimizer nor a small plan that
   * runs in this thread gives them.
   */
  public static String read(Dataset<Row> query, int mostRows, int mostBytes) throws IOException {
    Seq<InternalRow> rows = find(query.queryExecution().optimizedPlan());
    if (rows == null) {
      List<InternalRow> found = DriverRun.rows(query, mostRows, mostBytes);
      rows = found == null ? null : CollectionConverters.asScala(found).toSeq();
    }
    if (rows == null || rows.sizeCompare(mostRows) > 0) {
      return null;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    String zone = query.sparkSession().sessionState().conf().sessionLocalTimeZone();
    try (var batches =
        new ArrowConverters.ArrowBatchWithSchemaIterator(
            rows.iterator(), query.schema(), mostRows, 0L, zone, true, false, null)) {
      while (batches.hasNext()) {
        bytes.write(batches.next());
      }
    }
    // py4j would write bytes in Base64, too, and read them one by one
    return bytes.size() > mostBytes ? null : Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  private static Seq<InternalRow> find(LogicalPlan plan) {
    if (plan instanceof LocalRelation local) {
      return local.stream().isEmpty() ? local.data() : null;
    }
    if (plan instanceof Project project && project.child() instanceof OneRowRelation) {
      List<NamedExpression> values = CollectionConverters.asJava(project.projectList());
      return values.stream().allMatch(LocalRows::isConstant) ? compute(project) : null;
    }
    return null;
  }

  private static boolean isConstant(NamedExpression value) {
    List<Expression> parts = CollectionConverters.asJava(((Expression) value).children());
    return parts.stream().allMatch(Expression::foldable);
  }

  private static Seq<InternalRow> compute(Project project) {
    Seq<Expression> values =
        CollectionConverters.asScala(
                CollectionConverters.asJava(project.projectList()).stream()
                    .map(value -> (Expression) value)
                    .toList())
            .toSeq();
    InternalRow row =
        new InterpretedMutableProjection(values, project.child().output())
            .apply(InternalRow.empty());
    return CollectionConverters.asScala(List.of(row)).toSeq();
  }
}
