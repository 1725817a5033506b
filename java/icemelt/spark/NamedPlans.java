package icemelt.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.analysis.DeduplicateRelations$;
import org.apache.spark.sql.catalyst.catalog.SessionCatalog;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.Inner$;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.JoinHint;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation$;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.View;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.command.ViewHelper$;
import scala.Function1;
import scala.Option;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/**
 * Names of analysed plans that texts read, as temporary views are. Spark's own commands look through
 * each plan for what is cached of it, as it gets a name and as it loses it: most of their time.
 *
 * <p>A plan may be a <em>part</em> of a large one. Texts over a part see its columns alone until the
 * large plan is {@link #assemble assembled}: Spark's analysis would walk all that is below a part,
 * again for each part above it.
 */
public final class NamedPlans {
  /** The plans of parts, by the names that they have in any session. */
  private static final Map<String, LogicalPlan> PARTS = new ConcurrentHashMap<>();

  private NamedPlans() {}

  /** Gives the plan of a query a name that is new in its session. */
  public static void create(Dataset<?> query, String name) {
    create(query, name, query.queryExecution().analyzed());
  }

  /** Gives the plan of a query, which is a part of a larger one, a name that no other plan has. */
  public static void createPart(Dataset<?> query, String name) {
    LogicalPlan plan = query.queryExecution().analyzed();
    PARTS.put(name, plan);
    create(query, name, LocalRelation$.MODULE$.apply(plan.output()));
  }

  @SuppressWarnings("unchecked")
  private static void create(Dataset<?> query, String name, LogicalPlan plan) {
    Seq<String> noFunctions = (Seq<String>) (Object) Nil$.MODULE$;
    catalog(query.sparkSession())
        .createTempView(
            name,
            ViewHelper$.MODULE$.createTemporaryViewRelation(
                new TableIdentifier(name), query.sparkSession(), false, taken -> Option.empty(),
                Option.empty(), plan, plan, noFunctions, Option.empty()),
            false);
  }

  /** Drops names of plans, separated by spaces; a name may be gone. */
  public static void drop(SparkSession session, String names) {
    for (String name : names.split(" ")) {
      PARTS.remove(name);
      catalog(session).dropTempView(name);
    }
  }

  /** Returns a query with the plans of the parts that it reads, and of those that these read. */
  public static Dataset<Row> assemble(Dataset<Row> query) {
    SparkSession session = query.sparkSession();
    try (ActiveSession active = new ActiveSession(session)) {
      LogicalPlan plan = new Assembly().assemble(query.queryExecution().analyzed());
      // each part was analysed: what reads it has seen the same columns
      plan.setAnalyzed();
      return Dataset.ofRows(session, plan);
    }
  }

  private static SessionCatalog catalog(SparkSession session) {
    return session.sessionState().catalog();
  }

  /** Puts the plans of parts where they are read; each is assembled once. */
  private static final class Assembly extends AbstractPartialFunction<LogicalPlan, LogicalPlan> {
    private final Map<String, LogicalPlan> assembled = new ConcurrentHashMap<>();

    LogicalPlan assemble(LogicalPlan plan) {
      return plan.transformUpWithSubqueries(this);
    }

    @Override
    public boolean isDefinedAt(LogicalPlan plan) {
      return plan instanceof View view && PARTS.containsKey(view.desc().identifier().table());
    }

    @Override
    @SuppressWarnings("unchecked")
    public <A extends LogicalPlan, B> B applyOrElse(A plan, Function1<A, B> other) {
      return isDefinedAt(plan) ? (B) read((View) (LogicalPlan) plan) : other.apply(plan);
    }

    private LogicalPlan read(View view) {
      String name = view.desc().identifier().table();
      LogicalPlan part = assembled.get(name);
      if (part == null) {
        part = assemble(PARTS.get(name));
        assembled.put(name, part);
      }
      return part.outputSet().equals(view.outputSet()) ? part : renewed(part, view.output());
    }

    /** Returns a part that is read once more, beside itself: with columns of other ids. */
    private static LogicalPlan renewed(LogicalPlan part, Seq<Attribute> wanted) {
      LogicalPlan twice = new Join(part, part, Inner$.MODULE$, Option.empty(), JoinHint.NONE());
      LogicalPlan other = DeduplicateRelations$.MODULE$.apply(twice).children().apply(1);
      List<NamedExpression> values = new ArrayList<>();
      for (int at = 0; at < wanted.size(); at++) {
        Attribute made = other.output().apply(at);
        Attribute shown = wanted.apply(at);
        values.add(
            new Alias(
                made, shown.name(), shown.exprId(), shown.qualifier(), Option.empty(),
                CollectionConverters.asScala(List.<String>of()).toSeq()));
      }
      return new Project(CollectionConverters.asScala(values).toSeq(), other);
    }
  }
}
