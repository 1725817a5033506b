"""The types of functions whose result has one type, whatever the arguments are."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.schema import DataType, DecimalType, ListType, Primitive
from icemelt.sql.analysis.system_calls import OF_TASKS, PIPE_STATUS, TABLE_INFORMATION

__all__ = ["RESULTS"]

_BOOLEAN = Primitive("boolean")
_LONG = Primitive("long")
_STRING = Primitive("string")
_DOUBLE = Primitive("double")
_DATE = Primitive("date")
_NTZ = Primitive("timestamp")
_LTZ = Primitive("timestamptz")
_VARIANT = Primitive("variant")
_BINARY = Primitive("binary")

RESULTS: Mapping[str, DataType] = {
    **dict.fromkeys(
        ("COUNT", "COUNT_IF", "DATEDIFF", "TIMESTAMPDIFF", "TIMEDIFF", "LENGTH", "LEN", "YEAR"),
        _LONG,
    ),
    **dict.fromkeys(
        ("MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "QUARTER", "WEEK", "DATE_PART", "ARRAY_SIZE"),
        _LONG,
    ),
    **dict.fromkeys(
        ("ROW_NUMBER", "RANK", "DENSE_RANK", "NTILE", "APPROX_COUNT_DISTINCT", "HASH"), _LONG
    ),
    **dict.fromkeys(
        ("UPPER", "LOWER", "TRIM", "LTRIM", "RTRIM", "REPLACE", "REPEAT", "SPACE", "RANDSTR"),
        _STRING,
    ),
    **dict.fromkeys(
        ("LISTAGG", "TO_CHAR", "TO_VARCHAR", "SPLIT_PART", "UUID_STRING", "SOUNDEX"), _STRING
    ),
    **dict.fromkeys(("STRING_AGG", "INITCAP", "REGEXP_REPLACE", "REGEXP_SUBSTR"), _STRING),
    **dict.fromkeys(("TRANSLATE", "SOUNDEX_P123", "COLLATION"), _STRING),
    **dict.fromkeys(("CHR", "CHAR", "DAYNAME", "MONTHNAME", "STRTOK"), _STRING),
    **dict.fromkeys(("OCTET_LENGTH", "BIT_LENGTH", "CHAR_LENGTH", "CHARACTER_LENGTH"), _LONG),
    **dict.fromkeys(("RTRIMMED_LENGTH", "EDITDISTANCE", "JAROWINKLER_SIMILARITY"), _LONG),
    **dict.fromkeys(("REGEXP_COUNT", "REGEXP_INSTR", "GETBIT", "WIDTH_BUCKET", "RANDOM"), _LONG),
    **dict.fromkeys(("SEQ1", "SEQ2", "SEQ4", "SEQ8"), _LONG),
    "FACTORIAL": DecimalType(38, 0),
    **dict.fromkeys(("HEX_ENCODE", "HEX_DECODE_STRING", "TRY_HEX_DECODE_STRING"), _STRING),
    **dict.fromkeys(("BASE64_ENCODE", "BASE64_DECODE_STRING", "SHA1_HEX", "SHA2_HEX"), _STRING),
    **dict.fromkeys(("TRY_BASE64_DECODE_STRING", "MD5_HEX"), _STRING),
    **dict.fromkeys(("UNICODE", "ASCII", "CHARINDEX", "POSITION"), _LONG),
    **dict.fromkeys(("MD5_NUMBER_UPPER64", "MD5_NUMBER_LOWER64"), DecimalType(20, 0)),
    **dict.fromkeys(("MD5", "SHA1", "SHA2", "TO_JSON", "TYPEOF"), _STRING),
    **dict.fromkeys(
        ("CURRENT_DATE", "TO_DATE", "DATE", "TRY_TO_DATE", "DATE_FROM_PARTS", "LAST_DAY"), _DATE
    ),
    **dict.fromkeys(("NEXT_DAY", "PREVIOUS_DAY", "DATEFROMPARTS"), _DATE),
    "MONTHS_BETWEEN": DecimalType(18, 6),
    **dict.fromkeys(("CURRENT_CLIENT", "CURRENT_SCHEMAS", "CURRENT_WAREHOUSE"), _STRING),
    "GETVARIABLE": _STRING,
    **dict.fromkeys(("INVOKER_ROLE", "CURRENT_ROLE", "CURRENT_USER"), _STRING),
    "IS_ROLE_IN_SESSION": _BOOLEAN,
    **dict.fromkeys(("DAYOFMONTH", "DAYOFYEAR", "DAYOFWEEK", "DAYOFWEEKISO"), _LONG),
    **dict.fromkeys(("WEEKOFYEAR", "WEEKISO", "YEAROFWEEK", "YEAROFWEEKISO"), _LONG),
    **dict.fromkeys(("TIMESTAMPFROMPARTS", "TIMESTAMPNTZFROMPARTS", "CONVERT_TIMEZONE"), _NTZ),
    **dict.fromkeys(("TIMESTAMP_LTZ_FROM_PARTS", "TIMESTAMPLTZFROMPARTS"), _LTZ),
    **dict.fromkeys(
        ("TO_TIMESTAMP", "TO_TIMESTAMP_NTZ", "TRY_TO_TIMESTAMP", "TRY_TO_TIMESTAMP_NTZ"), _NTZ
    ),
    **dict.fromkeys(("SYSDATE", "TIMESTAMP_FROM_PARTS", "TIMESTAMP_NTZ_FROM_PARTS"), _NTZ),
    **dict.fromkeys(
        ("CURRENT_TIMESTAMP", "LOCALTIMESTAMP", "GETDATE", "SYSTIMESTAMP", "TO_TIMESTAMP_LTZ"),
        _LTZ,
    ),
    **dict.fromkeys(("TRY_TO_TIMESTAMP_LTZ",), _LTZ),
    **dict.fromkeys(
        ("PARSE_JSON", "TRY_PARSE_JSON", "TO_VARIANT", "GET", "GET_PATH", "TO_OBJECT"), _VARIANT
    ),
    **dict.fromkeys(
        ("OBJECT_CONSTRUCT", "OBJECT_CONSTRUCT_KEEP_NULL", "OBJECT_AGG", "OBJECT_INSERT"), _VARIANT
    ),
    **dict.fromkeys(("OBJECT_DELETE", "OBJECT_PICK", "STRIP_NULL_VALUE", "PARSE_URL"), _VARIANT),
    **dict.fromkeys(("TO_DOUBLE", "TRY_TO_DOUBLE", "SQRT", "EXP", "LN", "LOG", "CBRT"), _DOUBLE),
    **dict.fromkeys(("SIN", "COS", "TAN", "COT", "ASIN", "ACOS", "ATAN", "ATAN2", "PI"), _DOUBLE),
    **dict.fromkeys(("SINH", "COSH", "TANH", "ASINH", "ACOSH", "ATANH"), _DOUBLE),
    **dict.fromkeys(("DEGREES", "RADIANS", "POW", "POWER", "HAVERSINE", "SQUARE"), _DOUBLE),
    **dict.fromkeys(("STDDEV", "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", "VAR_POP"), _DOUBLE),
    **dict.fromkeys(("VAR_SAMP", "CORR", "COVAR_POP", "COVAR_SAMP"), _DOUBLE),
    "ICEMELT_VARIANT_KEY": _BINARY,
    "ICEMELT_VARIANT_OF_KEY": _VARIANT,
    **dict.fromkeys(("VARIANCE_POP", "VARIANCE_SAMP", "SKEW", "KURTOSIS"), _DOUBLE),
    **dict.fromkeys(("CUME_DIST", "PERCENT_RANK", "APPROX_PERCENTILE"), _DOUBLE),
    **dict.fromkeys(("REGR_INTERCEPT", "REGR_R2"), _DOUBLE),
    **dict.fromkeys(("REGR_SLOPE", "REGR_SXX", "REGR_SXY", "REGR_SYY"), _DOUBLE),
    **dict.fromkeys(("BOOLAND_AGG", "BOOLOR_AGG", "BOOLXOR_AGG"), _BOOLEAN),
    **dict.fromkeys(("XXHASH64", "HASH_AGG", "REGR_COUNT", "GROUPING"), _LONG),
    "CONDITIONAL_TRUE_EVENT": _LONG,
    **dict.fromkeys(("BITAND_AGG", "BITOR_AGG", "BITXOR_AGG", "GROUPING_ID", "HLL"), _LONG),
    **dict.fromkeys(("TO_BINARY", "TRY_TO_BINARY", "BASE64_DECODE_BINARY"), _BINARY),
    **dict.fromkeys(("HEX_DECODE_BINARY", "MD5_BINARY", "SHA1_BINARY", "SHA2_BINARY"), _BINARY),
    **dict.fromkeys(("TRY_HEX_DECODE_BINARY", "TRY_BASE64_DECODE_BINARY"), _BINARY),
    **dict.fromkeys(("BOOLAND", "BOOLOR", "BOOLXOR", "BOOLNOT", "TRY_TO_BOOLEAN"), _BOOLEAN),
    **dict.fromkeys(("IS_NULL_VALUE",), _BOOLEAN),
    "CHECK_JSON": _STRING,
    **dict.fromkeys(("TO_BOOLEAN", "STARTSWITH", "ENDSWITH", "CONTAINS", "EQUAL_NULL"), _BOOLEAN),
    **dict.fromkeys((PIPE_STATUS, TABLE_INFORMATION, *OF_TASKS), _STRING),
    "SYSTEM$STREAM_HAS_DATA": _BOOLEAN,
    "SYSTEM$STREAM_GET_TABLE_TIMESTAMP": _LONG,
    **dict.fromkeys(("SPLIT", "OBJECT_KEYS", "STRTOK_TO_ARRAY"), ListType(_STRING)),
    **dict.fromkeys(("TO_ARRAY", "AS_ARRAY", "ARRAYS_ZIP"), ListType(_VARIANT)),
    **dict.fromkeys(("AS_OBJECT", "ARRAYS_TO_OBJECT", "GET_IGNORE_CASE"), _VARIANT),
    **dict.fromkeys(("AS_CHAR", "AS_VARCHAR"), _STRING),
    **dict.fromkeys(("AS_DOUBLE", "AS_REAL"), _DOUBLE),
    "AS_BINARY": _BINARY,
    "AS_BOOLEAN": _BOOLEAN,
    "AS_DATE": _DATE,
    "AS_INTEGER": _LONG,
    "AS_TIMESTAMP_LTZ": _LTZ,
    "AS_TIMESTAMP_NTZ": _NTZ,
    "ARRAY_GENERATE_RANGE": ListType(_LONG),
    "ARRAY_TO_STRING": _STRING,
}
