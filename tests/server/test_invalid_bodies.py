"""A body with many errors takes as long as one with one: errors are found on the server's loop."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError

from icemelt.server.channels import routes
from icemelt.server.statements import SubmissionRequest


def errors(adapter: TypeAdapter[Any], body: object) -> list[Any]:
    with pytest.raises(ValidationError) as refused:
        adapter.validate_python(body)
    return refused.value.errors()


def test_one_of_many_unknown_fields_is_named() -> None:
    body = {"statement": "SELECT 1", "schema": "s", **{f"f{n}": n for n in range(100_000)}}
    [told] = errors(TypeAdapter(SubmissionRequest), body)
    assert (told["loc"], told["type"]) == (("f0",), "extra_forbidden")


def test_what_is_known_is_read_beside_an_unknown_field() -> None:
    told = errors(TypeAdapter(SubmissionRequest), {"wait_seconds": -1, "a": 1, "b": 2})
    assert {error["loc"] for error in told} == {("statement",), ("wait_seconds",), ("a",)}


def lists_of_bodies() -> list[Any]:
    """Return the bodies of channels' routes that are lists."""
    apis = [route for route in routes.routes if isinstance(route, APIRoute)]
    found = [body for route in apis for body in route.dependant.body_params]
    return [body for body in found if str(body.field_info.annotation).startswith("list[")]


@pytest.mark.parametrize("body", lists_of_bodies(), ids=lambda body: body.field_info.annotation)
def test_the_first_wrong_item_of_a_list_is_the_last_that_is_read(body: Any) -> None:
    _, told = body.validate([{}] * 10_000)
    assert {error["loc"][0] for error in told} == {0}


def test_there_are_bodies_that_are_lists() -> None:
    assert len(lists_of_bodies()) == 2
