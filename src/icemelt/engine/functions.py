"""Spark's functions that a guest session may call: a list of harmless names.

A function name unknown to icemelt goes to Spark unchanged. Some of Spark's functions run Java
(`reflect`), read files of the machine (`from_protobuf`, `from_xml` with a schema's file), or reveal
facts about the machine (`input_file_name`, `user`). A guest session therefore keeps only functions
of the arguments alone. A function of a later Spark is off until listed here. Also off are functions
that make rows or windows of any number out of two numbers (`stack`, `window`), and functions that
allocate a sketch of the size claimed by the input bytes (`hll_union`).
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from icemelt.spark_java import java_session, java_vm

__all__ = ["HARMLESS", "HARMLESS_IN_FROM", "OWN", "keep_harmless"]

# conditions, comparisons and operators
_OPERATORS = """
! % & * + - / < <= <=> = == > >= ^ | ~ << >> >>> and between coalesce div equal_null if ifnull
ilike in isnan isnotnull isnull like mod nanvl not nullif nullifzero nvl nvl2 or regexp
regexp_like rlike when zeroifnull
"""
_NUMBERS = """
abs acos acosh asin asinh atan atan2 atanh bin bit_count bit_get bround cbrt ceil ceiling conv cos
cosh cot csc degrees e exp expm1 factorial floor getbit greatest hex hypot least ln log log10 log1p
log2 negative pi pmod positive pow power radians rand randn random rint round sec shiftleft
shiftright shiftrightunsigned sign signum sin sinh sqrt tan tanh try_add try_divide try_mod
try_multiply try_subtract unhex uniform width_bucket
"""
_TIMES = """
add_months convert_timezone curdate current_date current_time current_timestamp current_timezone
date_add date_diff date_format date_from_unix_date date_part date_sub date_trunc dateadd datediff
datepart day dayname dayofmonth dayofweek dayofyear extract from_unixtime from_utc_timestamp hour
last_day localtimestamp make_date make_dt_interval make_interval make_time make_timestamp
make_timestamp_ltz make_timestamp_ntz make_ym_interval minute month monthname months_between
next_day now quarter second time_diff time_trunc timestamp_micros timestamp_millis
timestamp_seconds to_date to_time to_timestamp to_timestamp_ltz to_timestamp_ntz to_unix_timestamp
to_utc_timestamp trunc try_make_interval try_make_timestamp try_make_timestamp_ltz
try_make_timestamp_ntz try_to_date try_to_time try_to_timestamp unix_date unix_micros unix_millis
unix_seconds unix_timestamp weekday weekofyear year
"""
_AGGREGATES = """
any any_value approx_count_distinct approx_percentile approx_top_k array_agg avg bit_and bit_or
bit_xor bitmap_and_agg bitmap_bit_position bitmap_bucket_number bitmap_construct_agg bitmap_count
bitmap_or_agg bool_and bool_or collect_list collect_set corr count count_if covar_pop covar_samp
cume_dist dense_rank every first first_value grouping grouping_id histogram_numeric kurtosis lag
last last_value lead listagg max max_by mean median min min_by mode nth_value ntile percent_rank
percentile percentile_approx percentile_cont percentile_disc rank regr_avgx regr_avgy regr_count
regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy row_number skewness some std stddev
stddev_pop stddev_samp string_agg sum try_avg try_sum var_pop var_samp variance
"""
_TEXTS = """
ascii base64 bit_length btrim char char_length character_length chr collate collation concat
concat_ws contains crc32 decode elt encode endswith find_in_set format_number format_string hash
initcap instr is_valid_utf8 lcase left len length levenshtein locate lower lpad ltrim luhn_check
make_valid_utf8 mask md5 octet_length overlay parse_url position printf quote randstr regexp_count
regexp_extract regexp_extract_all regexp_instr regexp_replace regexp_substr repeat replace reverse
right rpad rtrim sentences sha sha1 sha2 soundex space split split_part startswith substr substring
substring_index to_binary to_char to_number to_varchar translate trim try_parse_url try_to_binary
try_to_number try_url_decode try_validate_utf8 ucase unbase64 upper url_decode url_encode
validate_utf8 xxhash64
"""
_NESTED = """
aggregate array array_append array_compact array_contains array_distinct array_except array_insert
array_intersect array_join array_max array_min array_position array_prepend array_remove
array_repeat array_size array_sort array_union arrays_overlap arrays_zip cardinality element_at
exists explode explode_outer filter flatten forall from_csv from_json get get_json_object inline
inline_outer is_variant_null json_array_length json_object_keys json_tuple map map_concat
map_contains_key map_entries map_filter map_from_arrays map_from_entries map_keys map_values
map_zip_with named_struct parse_json posexplode posexplode_outer reduce schema_of_csv
schema_of_json schema_of_variant schema_of_variant_agg sequence shuffle size slice sort_array
str_to_map struct to_csv to_json to_variant_object transform transform_keys transform_values
try_element_at try_parse_json try_variant_get variant_get zip_with
"""
_OTHERS = """
aes_decrypt aes_encrypt assert_true bigint binary boolean cast date decimal double float int
monotonically_increasing_id raise_error smallint spark_partition_id string time timestamp tinyint
try_aes_decrypt typeof uuid
"""
# functions of java/: of patterns, texts, bits, numbers and times, to which a session's are
# translated, and of files
_OF_ICEMELT = """
icemelt_acos icemelt_acosh icemelt_asin icemelt_asinh icemelt_atanh icemelt_bit icemelt_bucket
icemelt_bytes_and icemelt_bytes_not icemelt_bytes_or icemelt_bytes_xor icemelt_ceil
icemelt_character icemelt_clock_text icemelt_cosh icemelt_cot icemelt_csv_escaped icemelt_cut_clock
icemelt_double_text icemelt_exp icemelt_factorial icemelt_file_name icemelt_flatten icemelt_floor
icemelt_has_null icemelt_has_replaced icemelt_hash_of_decimal icemelt_hash_of_double
icemelt_hash_of_key icemelt_hash_of_long icemelt_hash_of_text icemelt_hash_of_variant
icemelt_haversine icemelt_initcap icemelt_initcap_at icemelt_input_number icemelt_insert
icemelt_insert_bytes icemelt_instant_text icemelt_json_document icemelt_json_members
icemelt_json_members_kept icemelt_like icemelt_like_all icemelt_like_any icemelt_ln icemelt_log
icemelt_named_uuid icemelt_need_clock icemelt_need_date icemelt_need_instant icemelt_next_value
icemelt_normal icemelt_number_text icemelt_object icemelt_parquet_clock icemelt_parquet_decimal
icemelt_parquet_half icemelt_parquet_instant icemelt_parquet_interval icemelt_parquet_time
icemelt_parquet_uuid icemelt_parse_url icemelt_plain_double icemelt_power icemelt_random_text
icemelt_read_clock icemelt_read_date icemelt_read_instant icemelt_read_number icemelt_regexp_count
icemelt_regexp_instr icemelt_regexp_like icemelt_regexp_replace icemelt_regexp_split
icemelt_regexp_substr icemelt_regexp_substr_all icemelt_reverse_bytes icemelt_round
icemelt_round_even icemelt_rounded icemelt_shift_left icemelt_shift_right icemelt_similarity
icemelt_sinh icemelt_soundex_p123 icemelt_split icemelt_sqrt icemelt_token icemelt_truncate
icemelt_uniform icemelt_units_between icemelt_variant icemelt_variant_bytes
icemelt_variant_contains icemelt_variant_doubles icemelt_variant_json icemelt_variant_key
icemelt_variant_of_key icemelt_variant_typed icemelt_variant_typed_key
"""
_IN_FROM = """
explode explode_outer inline inline_outer json_tuple posexplode posexplode_outer range
variant_explode variant_explode_outer
"""

OWN = frozenset(_OF_ICEMELT.split())
HARMLESS = OWN | frozenset(
    (_OPERATORS + _NUMBERS + _TIMES + _AGGREGATES + _TEXTS + _NESTED + _OTHERS).split()
)
HARMLESS_IN_FROM = frozenset(_IN_FROM.split())


def keep_harmless(spark: SparkSession) -> None:
    """Remove all functions but the harmless ones from a Spark session; no other session changes."""
    java: Any = java_vm(spark)
    state: Any = java_session(spark).sessionState()
    identifier = java.org.apache.spark.sql.catalyst.FunctionIdentifier
    for registry, kept in (
        (state.functionRegistry(), HARMLESS),
        (state.tableFunctionRegistry(), HARMLESS_IN_FROM),
    ):
        for name in frozenset(registry.listFunction().mkString(",").split(",")) - kept:
            registry.dropFunction(identifier(name))
