"""Where nobody needs a key, pages of other servers reach nothing, by whatever name."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from ingest.reaching import served
from server.test_channel_requests import key_of
from server.test_connections import connected, rest

from icemelt.server.run import ServerSettings
from icemelt.session.session import Session

STATEMENT = {"statement": "SHOW TABLES", "wait_seconds": 60}


@pytest.fixture
def client(session: Session) -> Iterator[httpx.Client]:
    hosts = ("Lake.example", "[::2]")
    with (
        served(session, keys=False, allowed_hosts=hosts) as url,
        httpx.Client(base_url=url, timeout=60) as client,
    ):
        yield client


def asked(client: httpx.Client, headers: dict[str, str]) -> tuple[int, str]:
    """Run a statement; return the status, and the code of an error."""
    answer = client.post("/v1/statements", json=STATEMENT, headers=headers)
    told = answer.json()
    return answer.status_code, told.get("code", "")


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "LOCALHOST:80", "[::1]", "[::1]:8787", "lake.example:443", "[::2]"],
)
def test_own_names_are_heard_with_any_port(client: httpx.Client, host: str) -> None:
    assert asked(client, {"Host": host}) == (200, "")


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8787",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.example@localhost",
        "localhost@evil.example",
        "localhost:evil",
        "localhost#evil.example",
        "localhost/evil.example",
        "127.1",
        "0",
        "::1",
        "[::1",
        "[::ffff:127.0.0.1]",
        "",
    ],
)
def test_other_names_are_refused(client: httpx.Client, host: str) -> None:
    assert asked(client, {"Host": host}) == (421, "host-refused")
    # says nothing of the lake, and is asked by whatever name a load balancer knows
    assert client.get("/health", headers={"Host": host}).status_code == 200


def test_two_hosts_and_none_are_refused(client: httpx.Client) -> None:
    for hosts in (b"", b"Host: localhost\r\nHost: evil.example\r\n"):
        with connected(client) as connection:
            connection.sendall(b"GET /metrics HTTP/1.1\r\n" + hosts + b"Connection: close\r\n\r\n")
            assert rest(connection).startswith(b"HTTP/1.1 421 ")


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://evil.example", 403),
        ("http://127.0.0.1", 403),
        ("http://127.0.0.1:3000", 403),
        ("http://localhost:3000", 403),
        ("null", 403),
        ("", 403),
        ("file://", 403),
        ("http://evil.example@lake.example", 403),
        ("http://lake.example.evil.example", 403),
        ("https://lake.example", 200),
        ("https://lake.example:8443", 200),
    ],
)
def test_pages_of_other_servers_are_refused(client: httpx.Client, origin: str, status: int) -> None:
    assert asked(client, {"Origin": origin})[0] == status


def test_a_page_of_this_server_is_heard(client: httpx.Client) -> None:
    own = str(client.base_url).rstrip("/")
    assert asked(client, {"Origin": own}) == (200, "")
    assert asked(client, {"Origin": own, "Host": "evil.example"}) == (421, "host-refused")


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
def test_every_route_is_behind_it(client: httpx.Client, method: str) -> None:
    for path in ("/metrics", "/v1/statements", "/v1/channels", "/v1/rows", "/", "/nothing"):
        answer = client.request(method, path, headers={"Host": "evil.example"})
        assert (answer.status_code, answer.json()["code"]) == (421, "host-refused")
        assert "access-control-allow-origin" not in answer.headers


def test_with_keys_the_host_and_the_origin_say_nothing(session: Session) -> None:
    with served(session) as url, httpx.Client(base_url=url, timeout=60) as client:
        foreign = {"Host": "evil.example", "Origin": "http://evil.example"}
        assert client.get("/health", headers=foreign).status_code == 200
        assert client.get("/metrics", headers=foreign).status_code == 401
        mine = foreign | {"Authorization": f"Bearer {key_of(session)}"}
        answer = client.get("/metrics", headers=mine)
        assert answer.status_code == 200
        assert "access-control-allow-origin" not in answer.headers


def test_the_address_that_it_listens_on_is_its_own() -> None:
    assert "10.0.0.7" in ServerSettings(host="10.0.0.7").hosts.names
    assert "10.0.0.7" not in ServerSettings().hosts.names
