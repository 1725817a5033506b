"""Run the statements of a chain, `a ->> b`, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from icemelt.errors import ParameterError
from icemelt.session.runtime.result import Result
from icemelt.sql.flow import Link, Values, split_flow

__all__ = ["run_flow"]


def run_flow(
    run: Callable[[Link, str | None], Result],
    text: str,
    parameters: Values,
    statement_id: str | None,
) -> Result:
    """Run a statement, or the statements of a chain, and return the last one's result.

    Args:
        run: runs one statement under an id, None for a new one.
        text: the text of the statement or the chain.
        parameters: the values of the placeholders.
        statement_id: the id of the last statement.

    Raises:
        ParameterError: no statement has the name of a value.
    """
    *earlier, last = split_flow(text, parameters)
    if earlier and isinstance(parameters, Mapping):
        used = {name for link in (*earlier, last) for name in link.parameters or ()}
        for name in parameters.keys() - used:
            message = f"Parameter {name!r} is not used by the statement."
            raise ParameterError(message, hint="Leave it out, or write its placeholder.")
    # a large result is there for RESULT_SCAN as long as somebody holds it
    results = [run(link, None) for link in earlier]
    result = run(last, statement_id)
    del results
    return result
