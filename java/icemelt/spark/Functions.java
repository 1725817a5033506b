package icemelt.spark;

import com.github.luben.zstd.util.Native;
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

/**
 * The functions that icemelt gives a Spark session. All of them are deterministic, but the one that
 * numbers rows, and SEQ of FLATTEN.
 */
public final class Functions {
  private static final DataType TEXT = DataTypes.StringType;
  private static final DataType NUMBER = DataTypes.IntegerType;
  private static final DataType CLOCK = DataTypes.TimestampNTZType;
  private static final DataType DATE = DataTypes.DateType;
  private static final DataType INSTANT = DataTypes.TimestampType;
  private static final DataType BOOLEAN = DataTypes.BooleanType;
  private static final DataType LONG = DataTypes.LongType;
  private static final DataType DOUBLE = DataTypes.DoubleType;
  private static final DataType BYTES = DataTypes.BinaryType;
  private static final DataType VARIANTS = new ArrayType(DataTypes.VariantType, true);
  private static final DataType TEXTS = new ArrayType(DataTypes.StringType, true);

  private static final Function[] ALL = {
    method("icemelt_regexp_like", Regexps.class, "like", BOOLEAN, false, TEXT, TEXT, TEXT),
    method(
        "icemelt_regexp_count", Regexps.class, "count", NUMBER, false, TEXT, TEXT, NUMBER, TEXT),
    method(
        "icemelt_regexp_instr", Regexps.class, "instr", NUMBER, false,
        TEXT, TEXT, NUMBER, NUMBER, NUMBER, TEXT, NUMBER),
    method(
        "icemelt_regexp_substr", Regexps.class, "substr", TEXT, true,
        TEXT, TEXT, NUMBER, NUMBER, TEXT, NUMBER),
    method(
        "icemelt_regexp_substr_all", Regexps.class, "substrAll", TEXTS, false,
        TEXT, TEXT, NUMBER, NUMBER, TEXT, NUMBER),
    method(
        "icemelt_regexp_replace", Regexps.class, "replace", TEXT, false,
        TEXT, TEXT, TEXT, NUMBER, NUMBER, TEXT),
    method("icemelt_regexp_split", Regexps.class, "split", TEXTS, false, TEXT, TEXT, NUMBER),
    method("icemelt_split", Regexps.class, "splitAt", TEXTS, false, TEXT, TEXT),
    method("icemelt_like", Likes.class, "like", BOOLEAN, false, TEXT, TEXT, TEXT),
    method("icemelt_like_any", Likes.class, "any", BOOLEAN, true, TEXT, TEXTS, TEXT),
    method("icemelt_like_all", Likes.class, "all", BOOLEAN, true, TEXT, TEXTS, TEXT),
    method(
        "icemelt_plain_double", Numbers.class, "plainDouble", DOUBLE, true, TEXT),
    method(
        "icemelt_double_text", Numbers.class, "doubleText", TEXT, false, DOUBLE),
    method("icemelt_number_text", NumberFormat.class, "write", TEXT, false, TEXT, TEXT),
    method("icemelt_read_number", NumberFormat.class, "read", TEXT, true, TEXT, TEXT),
    method("icemelt_cut_clock", Clocks.class, "cut", CLOCK, false, CLOCK, TEXT),
    method(
        "icemelt_units_between", Clocks.class, "between", DataTypes.LongType, false,
        TEXT, CLOCK, CLOCK),
    method("icemelt_clock_text", Moments.class, "clockText", TEXT, false, CLOCK, TEXT),
    method("icemelt_instant_text", Moments.class, "instantText", TEXT, false, INSTANT, TEXT, TEXT),
    method("icemelt_read_clock", Moments.class, "readClock", CLOCK, true, TEXT, TEXT),
    method("icemelt_read_date", Moments.class, "readDate", DATE, true, TEXT, TEXT),
    method("icemelt_read_instant", Moments.class, "readInstant", INSTANT, true, TEXT, TEXT, TEXT),
    method("icemelt_need_clock", Moments.class, "needClock", CLOCK, false, TEXT, TEXT),
    method("icemelt_need_date", Moments.class, "needDate", DATE, false, TEXT, TEXT),
    method(
        "icemelt_need_instant", Moments.class, "needInstant", INSTANT, false, TEXT, TEXT, TEXT),
    method(
        "icemelt_csv_escaped", CsvValues.class, "escape", TEXT, false, TEXT, TEXT, TEXT, TEXT),
    method("icemelt_has_replaced", CsvValues.class, "hasReplaced", BOOLEAN, false, TEXT),
    method("icemelt_parquet_clock", ParquetValues.class, "micros", CLOCK, false, LONG),
    method("icemelt_parquet_instant", ParquetValues.class, "micros", INSTANT, false, LONG),
    method("icemelt_parquet_time", ParquetValues.class, "time", TEXT, false, LONG),
    method("icemelt_parquet_uuid", ParquetValues.class, "uuid", TEXT, false, BYTES),
    method("icemelt_parquet_half", ParquetValues.class, "half", DOUBLE, false, BYTES),
    method("icemelt_parquet_decimal", ParquetValues.class, "decimal", TEXT, false, BYTES, NUMBER),
    method("icemelt_parquet_interval", ParquetValues.class, "interval", TEXT, false, BYTES),
    method("icemelt_file_name", FileNames.class, "decode", TEXT, false, TEXT),
    method(
        "icemelt_json_document", JsonRecords.class, "document", DataTypes.VariantType, true, TEXT),
    method(
        "icemelt_variant_key", VariantKeys.class, "key", BYTES, false, DataTypes.VariantType),
    method(
        "icemelt_variant_typed_key", VariantKeys.class, "typedKey", BYTES, false,
        DataTypes.VariantType),
    method("icemelt_variant_doubles", VariantKeys.class, "doubles", LONG, false,
        DataTypes.VariantType),
    method("icemelt_variant_typed", KeyedVariants.class, "typed", DataTypes.VariantType, false,
        BYTES, LONG),
    method("icemelt_hash_of_text", VariantHashes.class, "ofText", LONG, false, TEXT),
    method("icemelt_hash_of_long", VariantHashes.class, "ofLong", LONG, false, LONG),
    method("icemelt_hash_of_double", VariantHashes.class, "ofDouble", LONG, false, DOUBLE),
    // an exact number keeps its type
    method("icemelt_hash_of_decimal", VariantHashes.class, "ofDecimal", LONG, false),
    method(
        "icemelt_hash_of_variant", VariantHashes.class, "ofVariant", LONG, false,
        DataTypes.VariantType),
    method("icemelt_hash_of_key", VariantHashes.class, "ofKey", LONG, false, BYTES),
    method(
        "icemelt_variant_contains", VariantKeys.class, "contains", BOOLEAN, true,
        DataTypes.VariantType, BYTES),
    method(
        "icemelt_variant_json", VariantTexts.class, "json", TEXT, false,
        DataTypes.VariantType, TEXT),
    method(
        "icemelt_object", VariantObjects.class, "of", DataTypes.VariantType, false,
        TEXTS, VARIANTS, BOOLEAN),
    method("icemelt_has_null", ArrayValues.class, "hasNull", BOOLEAN, false),
    method(
        "icemelt_variant_of_key", KeyedVariants.class, "variant", DataTypes.VariantType, false,
        BYTES),
    method(
        "icemelt_json_members_kept", JsonMembersKept.class, "keep", TEXT, false,
        TEXT, BOOLEAN, BOOLEAN),
    method("icemelt_insert", Texts.class, "insert", TEXT, false, TEXT, NUMBER, NUMBER, TEXT),
    method(
        "icemelt_insert_bytes", Texts.class, "insertBytes", BYTES, false,
        BYTES, NUMBER, NUMBER, BYTES),
    method("icemelt_reverse_bytes", Texts.class, "reverseBytes", BYTES, false, BYTES),
    method("icemelt_character", Texts.class, "character", TEXT, false, LONG),
    method("icemelt_token", Texts.class, "token", TEXT, true, TEXT, TEXT, LONG),
    method("icemelt_initcap", Texts.class, "initcap", TEXT, false, TEXT),
    method("icemelt_initcap_at", Texts.class, "initcapAt", TEXT, false, TEXT, TEXT),
    method("icemelt_soundex_p123", Texts.class, "soundexP123", TEXT, false, TEXT),
    method("icemelt_similarity", Texts.class, "similarity", NUMBER, false, TEXT, TEXT),
    method("icemelt_named_uuid", Texts.class, "namedUuid", TEXT, false, TEXT, TEXT),
    method("icemelt_random_text", Texts.class, "randomText", TEXT, false, NUMBER, LONG),
    method(
        "icemelt_parse_url", Addresses.class, "parseUrl", DataTypes.VariantType, false,
        TEXT, BOOLEAN),
    method(
        "icemelt_variant_bytes", VariantBytes.class, "encode", BYTES, false,
        DataTypes.VariantType),
    method(
        "icemelt_variant", VariantBytes.class, "decode", DataTypes.VariantType, false, BYTES),
    method("icemelt_shift_left", Bits.class, "shiftLeft", LONG, false, LONG, LONG),
    method("icemelt_shift_right", Bits.class, "shiftRight", LONG, false, LONG, LONG),
    method("icemelt_bit", Bits.class, "bit", NUMBER, false, LONG, LONG),
    method("icemelt_bytes_and", Bits.class, "and", BYTES, false, BYTES, BYTES),
    method("icemelt_bytes_or", Bits.class, "or", BYTES, false, BYTES, BYTES),
    method("icemelt_bytes_xor", Bits.class, "xor", BYTES, false, BYTES, BYTES),
    method("icemelt_bytes_not", Bits.class, "not", BYTES, false, BYTES),
    numeric("acos", DOUBLE),
    numeric("acosh", DOUBLE),
    numeric("asin", DOUBLE),
    numeric("asinh", DOUBLE),
    numeric("atanh", DOUBLE),
    numeric("cosh", DOUBLE),
    numeric("cot", DOUBLE),
    numeric("exp", DOUBLE),
    numeric("ln", DOUBLE),
    numeric("log", DOUBLE, DOUBLE),
    numeric("power", DOUBLE, DOUBLE),
    numeric("sinh", DOUBLE),
    numeric("sqrt", DOUBLE),
    numeric("haversine", DOUBLE, DOUBLE, DOUBLE, DOUBLE),
    numeric("round", DOUBLE, NUMBER),
    method(
        "icemelt_round_even", Mathematics.class, "roundEven", DOUBLE, false, DOUBLE, NUMBER),
    method("icemelt_rounded", Mathematics.class, "rounded", TEXT, false, TEXT, NUMBER, TEXT),
    numeric("ceil", DOUBLE, NUMBER),
    numeric("floor", DOUBLE, NUMBER),
    numeric("truncate", DOUBLE, NUMBER),
    numeric("normal", LONG),
    numeric("uniform", LONG),
    method(
        "icemelt_factorial", Mathematics.class, "factorial",
        DataTypes.createDecimalType(38, 0), false, LONG),
    method(
        "icemelt_bucket", Mathematics.class, "bucket", LONG, false, DOUBLE, DOUBLE, DOUBLE, LONG),
    numbering("icemelt_next_value", NextValues.class, "next", LONG, TEXT, LONG, LONG, LONG),
    new Function("icemelt_json_members", JsonMembers.class, JsonMembers::call),
    new Function("icemelt_flatten", Flattening.class, Flattening::call),
    new Function("icemelt_input_number", InputNumbers.class, InputNumbers::call),
  };

  /** A function of SQL: its name, whose it is, and the expression of a call with arguments. */
  private record Function(
      String name, Class<?> home, Function1<Seq<Expression>, Expression> call) {}

  private Functions() {}

  /** Give a session all functions; others do not see them. Its loops hear a cancel, too. */
  public static void register(SparkSession session) {
    loadZstd();
    CancellableLoops.addTo(session);
    FunctionRegistry registry = session.sessionState().functionRegistry();
    for (Function function : ALL) {
      ExpressionInfo info = new ExpressionInfo(function.home.getName(), function.name);
      registry.registerFunction(new FunctionIdentifier(function.name), info, function.call);
    }
  }

  /**
   * Unpacks the library that reads and writes data files. Where its first use fails, as on a full
   * disk, its classes are lost to this Java, and no file is read any more.
   */
  private static void loadZstd() {
    try {
      Native.load();
    } catch (LinkageError error) {
      // it is tried again by the next session, or by the first file
    }
  }

  /** Returns a method of `Mathematics` that gives a double, by its own name. */
  private static Function numeric(String name, DataType... parameters) {
    return method("icemelt_" + name, Mathematics.class, name, DOUBLE, false, parameters);
  }

  /** Returns a static method as a function of SQL: NULL where an argument is. */
  private static Function method(
      String name, Class<?> home, String method, DataType type, boolean nullable,
      DataType... parameters) {
    return invoke(name, home, method, type, nullable, true, parameters);
  }

  /** Returns a static method that gives each row another value, never NULL. */
  private static Function numbering(
      String name, Class<?> home, String method, DataType type, DataType... parameters) {
    return invoke(name, home, method, type, false, false, parameters);
  }

  private static Function invoke(
      String name, Class<?> home, String method, DataType type, boolean nullable,
      boolean isDeterministic, DataType... parameters) {
    Seq<AbstractDataType> types =
        CollectionConverters.asScala(java.util.List.<AbstractDataType>of(parameters)).toSeq();
    return new Function(
        name,
        home,
        arguments ->
            new StaticInvoke(
                home, type, method, arguments, types, true, nullable, isDeterministic,
                Option.empty()));
  }
}
