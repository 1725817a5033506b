"""The outline of a plan: kinds of nodes and names in a text, as parsed by Spark's own parser.

The parsed plan is walked inside the JVM, in one call, through every field of every node: also if a
plan stands in an expression, a WITH or a window. Spark's compiler of generated code (Janino)
compiles the walk from the Java source below, once in a process.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pyspark.sql import SparkSession

from icemelt.spark_java import java_gateway, java_session
from icemelt.tables.lru_cache import WeightedLRUCache

__all__ = ["Outline", "Outliner", "open_outliner"]

Name = tuple[str, ...]
_CLASS = "IcemeltPlanOutline"
_MOST_CHARACTERS = 1 << 20
_SOURCE = """
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction;
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation;
import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedWith;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import scala.Product;
import scala.collection.Iterable;
import scala.collection.Iterator;
import scala.collection.Seq;

public final class IcemeltPlanOutline {
  public String of(ParserInterface parser, String texts, boolean areQueries) throws Exception {
    LinkedHashSet classes = new LinkedHashSet();
    LinkedHashSet relations = new LinkedHashSet();
    LinkedHashSet functions = new LinkedHashSet();
    LinkedHashSet queries = new LinkedHashSet();
    ArrayDeque pending = new ArrayDeque();
    String[] given = (String[]) new ObjectMapper().readValue(texts, String[].class);
    for (int i = 0; i < given.length; i++) {
      pending.push(areQueries ? parser.parsePlan(given[i]) : parser.parseExpression(given[i]));
    }
    while (!pending.isEmpty()) {
      Object node = pending.pop();
      if (node instanceof TreeNode) classes.add(node.getClass().getName());
      if (node instanceof UnresolvedRelation) {
        relations.add(parts(((UnresolvedRelation) node).multipartIdentifier()));
      } else if (node instanceof UnresolvedFunction) {
        functions.add(parts(((UnresolvedFunction) node).nameParts()));
      } else if (node instanceof UnresolvedTableValuedFunction) {
        functions.add(parts(((UnresolvedTableValuedFunction) node).name()));
      } else if (node instanceof UnresolvedWith) {
        Iterator named = ((UnresolvedWith) node).cteRelations().iterator();
        while (named.hasNext()) queries.add(((Product) named.next()).productElement(0));
      }
      Iterator fields = null;
      if (node instanceof Iterable) fields = ((Iterable) node).iterator();
      else if (node instanceof Product) fields = ((Product) node).productIterator();
      while (fields != null && fields.hasNext()) {
        Object field = fields.next();
        if (field instanceof Product || field instanceof Iterable) pending.push(field);
      }
    }
    ArrayList all = new ArrayList();
    all.add(classes);
    all.add(relations);
    all.add(functions);
    all.add(queries);
    return new ObjectMapper().writeValueAsString(all);
  }

  private static ArrayList parts(Seq name) {
    ArrayList parts = new ArrayList();
    Iterator each = name.iterator();
    while (each.hasNext()) parts.add(String.valueOf(each.next()));
    return parts;
  }
}
"""


@dataclass(frozen=True, slots=True)
class Outline:
    """The classes of a plan's nodes and expressions, and the names used in the plan.

    `relations` and `functions` are names of several parts. `queries` are the names defined by WITH.
    """

    classes: frozenset[str]
    relations: frozenset[Name]
    functions: frozenset[Name]
    queries: frozenset[str]


@dataclass(frozen=True, slots=True)
class Outliner:
    """Makes outlines of texts for a Spark session; `java` is the compiled walk.

    The expressions by which a table stores values are the same in every INSERT: the outlines of
    the last expressions are kept. The texts of queries have names that are used once.
    """

    java: Any
    parser: Any
    _known: WeightedLRUCache[tuple[str, ...], Outline] = field(
        default_factory=lambda: WeightedLRUCache(_MOST_CHARACTERS), compare=False
    )

    def outline_query(self, text: str) -> Outline:
        """Return the outline of a statement of Spark SQL.

        Raises:
            ParseException: Spark does not parse the text.
        """
        return self._outline([text], are_queries=True)

    def outline_expressions(self, texts: Sequence[str]) -> Outline:
        """Return one outline of several expressions, parsed separately.

        Raises:
            ParseException: Spark does not parse one of the texts.
        """
        key = tuple(texts)
        outline = self._known.get(key)
        if outline is None:
            outline = self._outline(texts, are_queries=False)
            size = sum(map(len, key))
            if size <= _MOST_CHARACTERS:
                self._known.keep(key, outline, size)
        return outline

    def _outline(self, texts: Sequence[str], *, are_queries: bool) -> Outline:
        outline = json.loads(self.java.of(self.parser, json.dumps(texts), are_queries))
        classes, relations, functions, queries = outline
        return Outline(
            frozenset(classes),
            frozenset(map(tuple, relations)),
            frozenset(map(tuple, functions)),
            frozenset(queries),
        )


def open_outliner(spark: SparkSession) -> Outliner:
    """Return the outliner of a Spark session."""
    java = _compile_walk(java_gateway(spark))
    return Outliner(java, java_session(spark).sessionState().sqlParser())


@lru_cache(1)
def _compile_walk(gateway: Any) -> Any:
    """Compile the walk in the JVM of a gateway."""
    java = gateway.jvm
    compiler = java.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(java.java.lang.Thread.currentThread().getContextClassLoader())
    compiler.cook(_SOURCE)
    constructor = compiler.getClassLoader().loadClass(_CLASS).getConstructors()[0]
    return constructor.newInstance(gateway.new_array(java.java.lang.Object, 0))
