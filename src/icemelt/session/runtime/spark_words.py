r"""Say in icemelt's words what Spark says of a query: what is wrong in it, and what to type.

Each entry of `_WORDS` is a pattern of Spark's text, a message and a hint with the pattern's groups.
Groups named `type…` are shown as Snowflake's types, `kind` as a number or a type, `name…` without
backticks, `function` in upper case.

    Reference `id` is ambiguous, could be: [`o`.`id`, `p`.`id`].
    Column 'id' is in several tables: o.id, p.id.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from icemelt.errors import IcemeltError, QueryError, ValueRefused

__all__ = ["TRY_CAST_HINT", "explain_query", "shown_type"]

_ALIAS = re.compile(r"`?__icemelt\d*_\w+`?\.?")
TRY_CAST_HINT = "TRY_CAST gives NULL instead of an error."
_ARRAY_HINT = "Write value IN (?) for a list of values, ARRAY_CONTAINS(value, array) for an array."
_MOST_CHARACTERS = 100
_NAMES = {
    "STRING": "VARCHAR",
    "TIMESTAMP": "TIMESTAMP_LTZ",
    "INT": "INT",
    "BIGINT": "INT",
    "DOUBLE": "FLOAT",
    "DECIMAL": "NUMBER",
    "STRUCT": "OBJECT",
    "VOID": "NULL",
}
_TYPE_NAME = re.compile(r"[A-Z_]+")
_NUMBERS = ("NUMBER", "INT", "FLOAT", "TINYINT", "SMALLINT")
# functions of Spark that are words of a query
_FUNCTIONS = {
    "CASEWHEN": "CASE",
    "RAND": "RANDOM",
    "VARIANT_GET": "A path of a VARIANT",
}


@dataclass(frozen=True, slots=True)
class _Words:
    """What is said for a text of Spark's.

    Attributes:
        pattern: what is found in the text.
        message: the message, with the pattern's groups.
        hint: the hint, likewise.
        is_value: whether a value is refused, and not the query.
    """

    pattern: re.Pattern[str]
    message: str
    hint: str
    is_value: bool = False


def _words(pattern: str, message: str, hint: str, *, is_value: bool = False) -> _Words:
    return _Words(re.compile(pattern, re.DOTALL), message, hint, is_value)


_WORDS = (
    # values
    _words(
        r"The value (?P<value>'.*?') of the type \"STRING\" cannot be cast to \"BOOLEAN\"",
        "The text {value} is no BOOLEAN.",
        "Write 'true' or 'false', 'yes' or 'no', 'on' or 'off', '1' or '0'. " + TRY_CAST_HINT,
        is_value=True,
    ),
    _words(
        r"The value (?P<value>'.*?') of the type \"STRING\" cannot be cast to \"(?P<kind>[^\"]+)\"",
        "The text {value} is no {kind}.",
        TRY_CAST_HINT,
        is_value=True,
    ),
    _words(
        r"The value -?(?:NaN|Infinity)[DF]? of the type \"[^\"]+\" cannot be cast to "
        r"\"(?P<type>[^\"]+)\" due to an overflow",
        "A NaN or an infinity is no {type}.",
        "Write NULLIF(value, 'NaN'::FLOAT), or keep it in a column of type FLOAT.",
        is_value=True,
    ),
    _words(
        r"The value (?P<value>\S+?)(?:BD|[DLFST])? of the type \"[^\"]+\" cannot be cast to "
        r"\"(?P<type>[^\"]+)\" due to an overflow",
        "The value {value} is out of the range of {type}.",
        "Take a wider type, as NUMBER(38, 0) or FLOAT. " + TRY_CAST_HINT,
        is_value=True,
    ),
    _words(
        r"(?P<value>[-+.\dEe]+) cannot be represented as Decimal\((?P<digits>\d+, \d+)\)",
        "The number {value} does not fit NUMBER({digits}).",
        "Widen the NUMBER, or round the value. " + TRY_CAST_HINT,
        is_value=True,
    ),
    _words(
        r"The variant value `(?P<value>.*?)` cannot be cast into `\"(?P<kind>[^\"]+)\"`",
        "The VARIANT {value} is no {kind}.",
        TRY_CAST_HINT,
        is_value=True,
    ),
    _words(
        r"Failed to evaluate the SQL expression \"CAST\((?P<value>.*?) AS (?P<kind>[^\"]+)\)\"",
        "The text '{value}' in VALUES is no {kind}.",
        "Give the values of a column one type.",
        is_value=True,
    ),
    _words(
        r"cannot cast \"(?P<type>[^\"]+)\" to \"(?P<type2>[^\"]+)\"",
        "A value of type {type} cannot become {type2}.",
        "Compute it with a function, or cast it to VARCHAR before.",
        is_value=True,
    ),
    _words(
        r"\A[^\"'`]*?Division by zero",
        "Division by zero.",
        "a / NULLIF(b, 0) gives NULL, DIV0(a, b) gives 0.",
    ),
    _words(
        r"\A[^\"'`]*?Remainder by zero", "Division by zero.", "MOD(a, NULLIF(b, 0)) gives NULL."
    ),
    _words(
        r"\A[^\"'`]*?(?:long|integer|BIGINT|INT)\S* overflow",
        "A whole number is beyond 64 bits.",
        "Compute with NUMBERs: a::NUMBER(38, 0) + b, SUM(x::NUMBER(38, 0)).",
    ),
    _words(
        r"\A[^\"'`]*?More than one row returned by a subquery used as an expression",
        "A subquery in the place of a value gave more than one row.",
        "Take one by LIMIT 1 or an aggregate, or write IN (SELECT …).",
    ),
    _words(
        r"Duplicate map key (?P<value>.*?) was found",
        "The key {value} is there twice.",
        "Make the keys unique: QUALIFY ROW_NUMBER() OVER (PARTITION BY key ORDER BY …) = 1.",
    ),
    # groups
    _words(
        r"The query does not include a GROUP BY clause",
        "A column stands beside an aggregate, without GROUP BY.",
        "Write GROUP BY ALL, or GROUP BY with each column outside of the aggregates.",
    ),
    _words(
        r"The non-aggregating expression \"(?P<name>[^\"]*)\" is based on columns which are not",
        "'{name}' is neither in GROUP BY nor inside of an aggregate.",
        "Add it to GROUP BY, or write ANY_VALUE({name}).",
    ),
    _words(
        r"It is not allowed to use an aggregate function in the argument of another",
        "An aggregate is inside of another aggregate.",
        "Compute the inner one in a subquery: SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM …).",
    ),
    _words(
        r"It is not allowed to use a window function inside an aggregate function",
        "A window function is inside of an aggregate.",
        "Compute it in a subquery: SELECT SUM(x) FROM (SELECT LAG(v) OVER (…) AS x FROM …).",
    ),
    _words(
        r"GROUP BY position (?P<value>\d+) is not in select list .*?, (?P<count>\d+)\]",
        "GROUP BY {value}: the SELECT list ends at {count}.",
        "Count the columns from 1, or name them.",
    ),
    _words(
        r"ORDER BY position (?P<value>\d+) is not in select list .*?, (?P<count>\d+)\]",
        "ORDER BY {value}: the SELECT list ends at {count}.",
        "Count the columns from 1, or name them.",
    ),
    _words(
        r"GROUP BY (?P<value>\d+) refers to an expression",
        "GROUP BY {value} is an aggregate.",
        "Group by columns that have none: GROUP BY ALL takes these.",
    ),
    _words(
        r"window functions inside WHERE clause",
        "WHERE has a window function.",
        "Write QUALIFY in its place.",
    ),
    _words(
        r"The WHERE condition \".*\" contains invalid expressions",
        "WHERE has an aggregate.",
        "Write HAVING behind GROUP BY, or compare with a subquery.",
    ),
    _words(
        r"IN/EXISTS predicate subqueries can only be used in",
        "IN or EXISTS of a query stands where it is not computed, as in ORDER BY.",
        "Select it, and name it: SELECT id, id IN (SELECT …) AS found FROM t ORDER BY found.",
    ),
    _words(
        r"A query operator contains one or more unsupported expressions",
        "An aggregate or a window function stands where rows are not grouped.",
        "Compute it in a subquery: FROM (SELECT …) AS s.",
    ),
    # windows
    _words(
        r"Window function \"(?P<function>\w+)\(.*\)\" requires an OVER clause",
        "{function} needs OVER.",
        "Write {function}(…) OVER (PARTITION BY a ORDER BY b).",
    ),
    _words(
        r"Window function (?P<function>\w+)\(.*\) requires window to be ordered",
        "{function} needs an order of the rows.",
        "Write OVER (ORDER BY b).",
    ),
    _words(
        r"Window specification is not defined in the WINDOW clause for (?P<name>\S+?)\.",
        "There is no window '{name}'.",
        "Write OVER (PARTITION BY a ORDER BY b).",
    ),
    _words(
        r"Distinct window functions are not supported",
        "DISTINCT is not computed over a window.",
        "Compute it by GROUP BY in a subquery, and join that.",
    ),
    _words(
        r"The lower bound of a window frame must be less than or equal to the upper bound",
        "The frame of a window ends before it begins.",
        "Write ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING.",
    ),
    # numbers of columns and of arguments
    _words(
        r"(?P<what>UNION|EXCEPT|INTERSECT) can only be performed on inputs with the same number of "
        r"columns, but the first input has (?P<count>\d+) columns? and the \S+ input has "
        r"(?P<count2>\d+)",
        "{what} takes queries with the same number of columns, found {count} and {count2}.",
        "Give both SELECT lists the same columns; NULL stands for one that lacks.",
    ),
    _words(
        r"(?P<what>UNION|EXCEPT|INTERSECT) can only be performed on tables with compatible column "
        r"types\. The (?P<place>\w+) column of .*? is \"(?P<type>[^\"]+)\".*?\"(?P<type2>[^\"]+)\"",
        "{what}: the {place} column is {type2} in one query, and {type} in another.",
        "Cast it in both SELECT lists to one type.",
    ),
    _words(
        r"columns or variables assigned or aliased: (?P<count>\d+) does not match the number of "
        r"source expressions: (?P<count2>\d+)",
        "The number of names does not match the number of columns: {count} and {count2}.",
        "Give each column a name, as in (SELECT a, b FROM t) AS q (x, y); x > ALL (SELECT …) "
        "compares with one column.",
    ),
    _words(
        r"Scalar subquery must return only one column, but got (?P<count>\d+)",
        "A subquery in the place of a value has {count} columns.",
        "Select one column.",
    ),
    _words(
        r"The number of columns in the left hand side of an IN subquery.*"
        r"\(length: (?P<count>\d+)\).*\(length: (?P<count2>\d+)\)",
        "IN compares {count} of its values with {count2} of the subquery.",
        "Select as many columns: (a, b) IN (SELECT a, b FROM …).",
    ),
    _words(
        r"The `(?P<function>\w+)` requires \[?(?P<count>[\d, ]+)\]? parameters but the actual "
        r"number is (?P<count2>\d+)",
        "{function} takes {count} arguments, found {count2}.",
        "docs/functions.md has its page.",
    ),
    _words(
        r"The `count` requires",
        "COUNT takes * or a value, found nothing.",
        "Write COUNT(*).",
    ),
    _words(
        r"Cannot resolve \"(?P<function>\w+)\(.*the input `(?P<what>\w+)` should be a foldable",
        "{function}: the {what} is a constant, found an expression.",
        "Write a number or a text in its place.",
    ),
    # types
    _words(
        r"Input to `(?P<function>in)` should all be the same type, but it's "
        r"[\[(]\"(?P<type>(?!ARRAY)[^\"]+)\".*?\"(?P<type2>ARRAY[^\"]+)\"",
        "The values of {function} have types that do not go together: {type} and {type2}.",
        _ARRAY_HINT,
    ),
    _words(
        r"incompatible types \(\"(?P<type>(?!ARRAY)[^\"]+)\" and \"(?P<type2>ARRAY[^\"]+)\"\)",
        "{type} and {type2} are neither compared nor computed with each other.",
        _ARRAY_HINT,
    ),
    _words(
        r"Input to `(?P<function>\w+)` should all be the same type, but it's "
        r"[\[(]\"(?P<type>[^\"]+)\".*?\"(?P<type2>[^\"]+)\"",
        "The values of {function} have types that do not go together: {type} and {type2}.",
        "Cast them to one type: value::VARCHAR.",
    ),
    _words(
        r"incompatible types \(\"(?P<type>[^\"]+)\" and \"(?P<type2>[^\"]+)\"\)",
        "{type} and {type2} are neither compared nor computed with each other.",
        "Cast one of them to the other's type.",
    ),
    _words(
        r"the binary operator requires the input type .*?, not \"(?P<type>[^\"]+)\"",
        "The operator takes no {type}.",
        "Cast the operands: value::NUMBER.",
    ),
    _words(
        r"Cannot resolve \"(?P<function>\w+)\(.*parameter requires the .*?type, however .*? has "
        r"the type \"(?P<type>[^\"]+)\"",
        "{function} takes no {type}.",
        "Cast the argument; docs/functions.md has the function's page.",
    ),
    _words(
        r"parameter requires the .*?type, however .*? has the type \"(?P<type>[^\"]+)\"",
        "A value of type {type} has no such part, and no such operation.",
        "Cast it: value::VARIANT has parts by name and position.",
    ),
    _words(
        r"Filter expression .*? of type \"(?P<type>[^\"]+)\" is not a boolean",
        "A condition is BOOLEAN, found {type}.",
        "Write a comparison: value IS NOT NULL, or value <> 0.",
    ),
    _words(
        r"The join condition .*? has the invalid type \"(?P<type>[^\"]+)\"",
        "A condition is BOOLEAN, found {type}.",
        "Write a comparison: ON a.id = b.id.",
    ),
    _words(
        r"Cannot resolve \"(?P<function>\w+)\(.*The (?P<what>[\w ]+) must be between "
        r"(?P<range>.+?) \(current value = (?P<value>\S+?)(?:BD|[DLFST])?\)",
        "{function}: the {what} is between {range}, found {value}.",
        "docs/functions.md has the function's page.",
    ),
    # names
    _words(
        r"Reference `(?P<name>[^`]*)` is ambiguous, could be: \[(?P<name2>.*?)\]",
        "Column '{name}' is in several tables: {name2}.",
        "Write the column with its table before it, as in o.status.",
    ),
    _words(
        r"USING column `(?P<name>[^`]*)` cannot be resolved on the (?P<side>\w+) side of the join",
        "Column '{name}' of USING is not in the table on the {side}.",
        "Write ON a.x = b.y, or a column that both tables have.",
    ),
    _words(
        r"Cannot resolve `(?P<name>[^`]*)`\.\* given input columns",
        "There is no table '{name}' here, of which all columns are selected.",
        "Write the alias that the table has in FROM.",
    ),
    _words(
        r"Can only star expand struct data types\. Attribute: `\w+\((?P<name>[^)]*)",
        "There is no table '{name}' here, of which all columns are selected.",
        "Write the alias that the table has in FROM.",
    ),
    _words(
        r"Cannot find field '(?P<name>[^']*)' in struct",
        "There is no column '{name}' to partition by.",
        "Name columns of the table.",
    ),
    _words(
        r"Unpivot value columns must share a least common type, some types do not: "
        r"\[\"(?P<type>[^\"]+)\" \((?P<name>[^)]*)\), \"(?P<type2>[^\"]+)\" \((?P<name2>[^)]*)\)",
        "UNPIVOT takes columns of one type: '{name}' is {type}, and '{name2}' is {type2}.",
        "Cast them in a subquery: FROM (SELECT a::VARCHAR AS a, …).",
    ),
    _words(
        r"Invalid pivot column `(?P<name>.*?)`\. Pivot",
        "PIVOT compares the values of '{name}' with those of IN, and has no such comparison.",
        "Cast it in a subquery: FROM (SELECT k::VARCHAR AS k, …) PIVOT (… FOR k IN (…)).",
    ),
    # bounds
    _words(
        r"The limit like expression \"(?P<value>.*?)\" is invalid",
        "LIMIT and OFFSET take a whole number from 0 on, found {value}.",
        "Write LIMIT 10.",
    ),
    _words(
        r"Recursion level limit (?P<count>\d+) reached",
        "A recursive query goes on after {count} steps.",
        "Let its condition end it: WHERE n < 100.",
    ),
    _words(
        r"Sampling fraction \(.*?\) must be on interval",
        "SAMPLE takes 0 to 100, in percent.",
        "Write SAMPLE (10), or SAMPLE (10 ROWS).",
    ),
)


def explain_query(text: str) -> IcemeltError | None:
    """Return the error for what Spark says of a query, None for what has no words here.

    >>> explain_query("Division by zero. Use `try_divide` to tolerate divisor being 0.").message
    'Division by zero.'
    """
    for words in _WORDS:
        found = words.pattern.search(text)
        if found is not None:
            shown = {name: _shown(name, value or "") for name, value in found.groupdict().items()}
            kind = ValueRefused if words.is_value else QueryError
            return kind(words.message.format(**shown), hint=words.hint.format(**shown))
    return None


def shown_type(spark_type: str) -> str:
    """Return a type of Spark's as it is written in a statement.

    >>> shown_type("ARRAY<DECIMAL(10,2)>"), shown_type("STRING")
    ('ARRAY(NUMBER(10, 2))', 'VARCHAR')
    """
    named = _TYPE_NAME.sub(lambda found: _NAMES.get(found[0], found[0]), spark_type)
    return named.replace("<", "(").replace(">", ")").replace(",", ", ").replace(",  ", ", ")


def _shown(group: str, value: str) -> str:
    if group.startswith("type"):
        return shown_type(value)
    if group == "kind":
        type_ = shown_type(value)
        return "number" if type_.startswith(_NUMBERS) else type_
    if group.startswith("name"):
        return _ALIAS.sub("", value).replace("`", "")
    if group == "function":
        return _FUNCTIONS.get(value.upper(), value.upper())
    return value if len(value) <= _MOST_CHARACTERS else f"{value[:_MOST_CHARACTERS]}…"
