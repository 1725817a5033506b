"""What the documents say of each function is what the scripts of the functions say, and try."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from function_table import Family, Status, completed, main, read_families
from spec.script import read_steps

from icemelt.engine.functions import HARMLESS, OWN
from icemelt.sql.spark.functions import FUNCTIONS

_DOCUMENT = Path(__file__).parents[2] / "docs" / "functions.md"
_FAMILIES = read_families()
_NAMED = {entry.name for family in _FAMILIES for entry in family.entries}
# the names of Snowflake's reference
_SNOWFLAKE = frozenset(
    Path(__file__).with_name("snowflake_functions.txt").read_text(encoding="utf-8").split()
)
# in the table for a bound, a check or a reason, without being Snowflake's
_NOT_SNOWFLAKES = """
ARRAY_JOIN ARRAY_REPEAT ASSERT_TRUE BROUND CEILING CHARACTER_LENGTH CHAR_LENGTH COLLECT_LIST
COLLECT_SET COUNT_MIN_SKETCH FORMAT_NUMBER FORMAT_STRING FROM_CSV FROM_JSON HISTOGRAM_NUMERIC
HLL_SKETCH_AGG HLL_SKETCH_ESTIMATE HLL_UNION HLL_UNION_AGG LEVENSHTEIN PERCENTILE_APPROX PRINTF
RAISE_ERROR REGEXP_EXTRACT SCHEMA_OF_CSV SCHEMA_OF_JSON SEQUENCE STR_TO_MAP TO_CSV TRY_PARSE_URL
TRY_VARIANT_GET VARIANT_GET SYSTEM$CURRENT_USER_TASK_NAME SYSTEM$PYTHON_TASK
"""


def test_the_document_is_up_to_date() -> None:
    assert main([str(_DOCUMENT)]) == 0


def test_a_stale_document_is_told_and_completed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = _DOCUMENT.read_text(encoding="utf-8")
    document = tmp_path / "stale.md"
    document.write_text(text.replace("| exact |", "| near |"), encoding="utf-8")
    assert main([str(document)]) == 1
    assert "out of date" in capsys.readouterr().out
    assert main(["--complete", str(document)]) == 0
    assert document.read_text(encoding="utf-8") == text == completed(text)


def test_no_function_is_in_two_families() -> None:
    names = Counter(entry.name for family in _FAMILIES for entry in family.entries)
    assert [name for name, count in names.items() if count > 1] == []


def test_a_family_names_functions_of_snowflake() -> None:
    assert sorted(_NAMED - _SNOWFLAKE) == []


def test_each_name_that_the_table_has_is_in_a_family() -> None:
    without = {name for name in FUNCTIONS if not name.startswith("ICEMELT_")} - _NAMED
    assert sorted(without) == sorted(_NOT_SNOWFLAKES.split())


def test_each_name_that_spark_has_as_well_as_snowflake_is_in_a_family() -> None:
    of_spark = {name.upper() for name in HARMLESS - OWN}
    assert sorted((of_spark & _SNOWFLAKE) - _NAMED) == []


@pytest.mark.parametrize("family", _FAMILIES, ids=lambda family: family.path.stem)
def test_a_script_tries_each_function_that_its_head_names(family: Family) -> None:
    steps = read_steps(family.path)
    for entry in family.entries:
        call = re.compile(rf"(?<![\w$]){re.escape(entry.name)}(?![\w$])", re.IGNORECASE)
        calls = [step for step in steps if call.search(step.sql)]
        assert calls, f"no step calls {entry.name}"
        if entry.status in {Status.NOT_YET, Status.NEVER}:
            is_refused = any(step.words[1:2] == ["error"] for step in calls)
            assert is_refused, f"no step shows that {entry.name} is refused"


@pytest.mark.parametrize(
    "head",
    [
        "# Family\nSELECT 1",
        "# Family\n# LOWER: right",
        "# Family\n# LOWER: exact: as it is",
        "# Family\n# LOWER: differs",
        "# Family\n# lower: exact",
    ],
)
def test_a_head_of_another_form_is_refused(tmp_path: Path, head: str) -> None:
    (tmp_path / "family.test").write_text(head, encoding="utf-8")
    with pytest.raises(ValueError, match=r"family\.test"):
        read_families(tmp_path)
