package icemelt.spark;

import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.Function1;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** The functions that icemelt gives a Spark session. All of them are deterministic. */
public final class Functions {
  private static final DataType TEXT = DataTypes.StringType;
  private static final DataType NUMBER = DataTypes.IntegerType;
  private static final DataType BOOLEAN = DataTypes.BooleanType;
  private static final DataType TEXTS = new ArrayType(DataTypes.StringType, true);

  private static final Function[] ALL = {
    new Function("icemelt_regexp_like", Regexps.class, "like", BOOLEAN, false, TEXT, TEXT, TEXT),
    new Function(
        "icemelt_regexp_count", Regexps.class, "count", NUMBER, false, TEXT, TEXT, NUMBER, TEXT),
    new Function(
        "icemelt_regexp_instr", Regexps.class, "instr", NUMBER, false,
        TEXT, TEXT, NUMBER, NUMBER, NUMBER, TEXT, NUMBER),
    new Function(
        "icemelt_regexp_substr", Regexps.class, "substr", TEXT, true,
        TEXT, TEXT, NUMBER, NUMBER, TEXT, NUMBER),
    new Function(
        "icemelt_regexp_substr_all", Regexps.class, "substrAll", TEXTS, false,
        TEXT, TEXT, NUMBER, NUMBER, TEXT, NUMBER),
    new Function(
        "icemelt_regexp_replace", Regexps.class, "replace", TEXT, false,
        TEXT, TEXT, TEXT, NUMBER, NUMBER, TEXT),
    new Function("icemelt_regexp_split", Regexps.class, "split", TEXTS, false, TEXT, TEXT, NUMBER),
    new Function("icemelt_split", Regexps.class, "splitAt", TEXTS, false, TEXT, TEXT),
    new Function("icemelt_like", Likes.class, "like", BOOLEAN, false, TEXT, TEXT, TEXT),
    new Function("icemelt_like_any", Likes.class, "any", BOOLEAN, true, TEXT, TEXTS, TEXT),
    new Function("icemelt_like_all", Likes.class, "all", BOOLEAN, true, TEXT, TEXTS, TEXT),
    new Function(
        "icemelt_plain_double", Numbers.class, "plainDouble", DataTypes.DoubleType, true, TEXT),
    new Function(
        "icemelt_is_odd_csv", CsvValues.class, "isOdd", BOOLEAN, false, TEXT, BOOLEAN),
    new Function("icemelt_file_name", FileNames.class, "decode", TEXT, false, TEXT),
    new Function(
        "icemelt_json_document", JsonRecords.class, "document", DataTypes.VariantType, true, TEXT),
  };

  /** A static method as a function of SQL: NULL where an argument is. */
  private record Function(
      String name, Class<?> home, String method, DataType type, boolean nullable,
      DataType... parameters) {
    Expression call(Seq<Expression> arguments) {
      Seq<AbstractDataType> types =
          CollectionConverters.asScala(java.util.List.<AbstractDataType>of(parameters)).toSeq();
      return new StaticInvoke(
          home, type, method, arguments, types, true, nullable, true, Option.empty());
    }
  }

  private Functions() {}

  /** Give a session all functions; others do not see them. Its loops hear a cancel, too. */
  public static void register(SparkSession session) {
    CancellableLoops.addTo(session);
    FunctionRegistry registry = session.sessionState().functionRegistry();
    for (Function function : ALL) {
      register(registry, function.name, function.home, function::call);
    }
    register(registry, "icemelt_json_members", JsonMembers.class, JsonMembers::call);
    register(registry, "icemelt_file_counts", FileCounts.class, FileCounts::call);
  }

  private static void register(
      FunctionRegistry registry, String name, Class<?> home,
      Function1<Seq<Expression>, Expression> call) {
    ExpressionInfo info = new ExpressionInfo(home.getName(), name);
    registry.registerFunction(new FunctionIdentifier(name), info, call);
  }
}
