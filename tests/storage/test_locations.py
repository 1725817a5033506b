"""Locations as texts: what is here, what is elsewhere, and what lies in what."""

from __future__ import annotations

import pytest

from icemelt.storage.locations import is_within, local_form, local_path, store_and_path


@pytest.mark.parametrize(
    ("location", "path", "form"),
    [
        ("/a/b", "/a/b", "/a/b"),
        ("file:/a b", "/a b", "/a b"),
        ("file:///a", "/a", "/a"),
        ("file:a", "/a", "/a"),
        ("FILE:/a", None, "/a"),
        ("//a", "//a", "/a"),
        ("a/b", None, "a/b"),
        ("..", None, ".."),
        ("s3a://bucket/a", None, None),
        ("viewfs://mount//a", None, None),
    ],
)
def test_a_location_is_here_or_elsewhere(location: str, path: str | None, form: str | None) -> None:
    assert (local_path(location), local_form(location)) == (path, form)


@pytest.mark.parametrize(
    ("location", "place", "is_inside"),
    [
        ("s3a://b/lake", "s3a://b/lake/", True),
        ("s3n://b//lake/t", "S3://b/lake", True),
        ("s3a://b/lake", "s3a://b/lake/t", False),
        ("s3a://b/lakes", "s3a://b/lake", False),
        ("s3a://other/lake", "s3a://b/lake", False),
        ("gs://b/lake", "s3a://b/lake", False),
        ("s3a://b/lake#/t", "s3a://b/lake", False),
        ("/lake/t", "/lake", False),
        ("s3a://b/a", "s3a://b", True),
    ],
)
def test_a_location_is_within_another_of_its_store(
    location: str, place: str, *, is_inside: bool
) -> None:
    assert is_within(location, place) is is_inside


def test_signs_of_addresses_are_plain_in_a_location() -> None:
    assert store_and_path("s3a://b/in?x/../y#z") == ("s3a", "b", ["in?x", "..", "y#z"])
    assert store_and_path("s3a:b") is None
