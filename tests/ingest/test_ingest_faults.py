"""A catalog that goes away, and loses COMMIT or the reply to it: every row is there once."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults.postgres import Postgres
from faults.proxy import Loss, Proxy
from pyspark.sql import SparkSession

from conftest import Lake, postgres_url
from icemelt.catalog.database import system_clock
from icemelt.ingest import Channel, StreamingIngestClient
from icemelt.session.session import Session

SEED, CHANNELS, PATIENCE = 7, 3, 120.0


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    made = Postgres()
    yield made
    made.close()


@pytest.fixture
def proxy(server: Postgres) -> Iterator[Proxy]:
    made = Proxy(server.url)
    yield made
    made.close()


@pytest.fixture
def far_lake(server: Postgres, proxy: Proxy, spark: SparkSession, tmp_path: Path) -> Iterator[Lake]:
    """A lake whose sessions reach the catalog through the proxy."""
    lake = Lake(spark, proxy.url(postgres_url(server.url)), tmp_path, system_clock)
    yield lake
    lake.close()


def opened(client: StreamingIngestClient) -> list[Channel]:
    names = map(str, range(CHANNELS))
    return [client.open_channel(name, "main", "public", "t")[0] for name in names]


def append(channels: list[Channel], sent: int, count: int) -> int:
    """Append so many rows to each channel, one at a time; return how many each has now."""
    for number in range(sent, sent + count):
        for channel in channels:
            channel.append_row({"channel": channel.channel_name, "n": number}, str(number))
    return sent + count


def check(session: Session, channels: list[Channel], sent: int) -> None:
    """Check that every row is there once, in order, and the tokens are those of the last."""
    for channel in channels:
        assert channel.get_latest_committed_offset_token() == str(sent - 1)
        found = session.sql(
            "SELECT n FROM t WHERE channel = :name ORDER BY _row_id", name=channel.channel_name
        ).fetchall()
        assert found == [(number,) for number in range(sent)]


@pytest.mark.turns(8)
@pytest.mark.parametrize("loss", Loss)
def test_a_lost_commit_neither_loses_nor_doubles_rows(
    far_lake: Lake, proxy: Proxy, loss: Loss
) -> None:
    choose = random.Random(SEED)  # noqa: S311
    session = far_lake.open()
    session.sql("CREATE TABLE t (channel VARCHAR, n BIGINT)")
    sent = 0
    with session.ingest_client(max_client_lag=0.1) as client:
        channels = opened(client)
        for number in range(4):
            proxy.lose(loss)
            while len(proxy.lost) <= number:
                sent = append(channels, sent, choose.randint(1, 5))
            sent = append(channels, sent, choose.randint(1, 5))
            for channel in channels:
                channel.wait_for_flush(PATIENCE)
            check(session, channels, sent)
    check(session, channels, sent)


@pytest.mark.slow
def test_what_became_of_a_commit_that_cannot_be_asked_for_is_seen_later(
    far_lake: Lake, proxy: Proxy
) -> None:
    session = far_lake.open()
    session.sql("CREATE TABLE t (channel VARCHAR, n BIGINT)")
    with session.ingest_client(max_client_lag=600) as client:
        channels = opened(client)
        sent = append(channels, 0, 3)
        proxy.lose(Loss.REPLY, away=12)
        channels[0].initiate_flush()
        sent = append(channels, sent, 3)
        for channel in channels:
            channel.wait_for_flush(PATIENCE)
        check(session, channels, sent)


def test_a_catalog_that_restarts_costs_no_row(
    far_lake: Lake, proxy: Proxy, server: Postgres
) -> None:
    session = far_lake.open()
    session.sql("CREATE TABLE t (channel VARCHAR, n BIGINT)")
    with session.ingest_client(max_client_lag=0.1) as client:
        channels = opened(client)
        sent = append(channels, 0, 20)
        server.restart()
        sent = append(channels, sent, 20)
        proxy.leave(2)
        sent = append(channels, sent, 20)
        for channel in channels:
            channel.wait_for_flush(PATIENCE)
    check(session, channels, sent)
