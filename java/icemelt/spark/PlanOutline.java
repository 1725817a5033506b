package icemelt.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction;
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation;
import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedWith;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import scala.Product;
import scala.collection.Iterable;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** The kinds of nodes in texts, and the names, as Spark's own parser has them. */
public final class PlanOutline {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Set<String> classes = new LinkedHashSet<>();
  private final Set<List<String>> relations = new LinkedHashSet<>();
  private final Set<List<String>> functions = new LinkedHashSet<>();
  private final Set<String> queries = new LinkedHashSet<>();
  private final Deque<Object> pending = new ArrayDeque<>();

  private PlanOutline() {}

  /**
   * Returns the outline of the texts in a JSON array, as a JSON array of four: classes, relations,
   * functions, and the queries of WITH. Each field of each node is walked through, so that a plan
   * is found in an expression, a WITH or a window.
   */
  public static String of(ParserInterface parser, String texts, boolean areQueries)
      throws JsonProcessingException, ParseException {
    PlanOutline outline = new PlanOutline();
    for (String text : JSON.readValue(texts, String[].class)) {
      outline.pending.push(areQueries ? parser.parsePlan(text) : parser.parseExpression(text));
    }
    while (!outline.pending.isEmpty()) {
      outline.visit(outline.pending.pop());
    }
    List<Collection<?>> all =
        List.of(outline.classes, outline.relations, outline.functions, outline.queries);
    return JSON.writeValueAsString(all);
  }

  private void visit(Object node) {
    if (node instanceof TreeNode<?>) {
      classes.add(node.getClass().getName());
    }
    if (node instanceof UnresolvedRelation relation) {
      relations.add(parts(relation.multipartIdentifier()));
    } else if (node instanceof UnresolvedFunction function) {
      functions.add(parts(function.nameParts()));
    } else if (node instanceof UnresolvedTableValuedFunction function) {
      functions.add(parts(function.name()));
    } else if (node instanceof UnresolvedWith with) {
      CollectionConverters.asJava(with.cteRelations())
          .forEach(query -> queries.add(String.valueOf(((Product) query).productElement(0))));
    }
    Iterator<?> fields = null;
    if (node instanceof Iterable<?> elements) {
      fields = elements.iterator();
    } else if (node instanceof Product product) {
      fields = product.productIterator();
    }
    while (fields != null && fields.hasNext()) {
      Object field = fields.next();
      if (field instanceof Product || field instanceof Iterable<?>) {
        pending.push(field);
      }
    }
  }

  private static List<String> parts(Seq<String> name) {
    return new ArrayList<>(CollectionConverters.asJava(name));
  }
}
