"""The consumer of Kafka is killed: every message is there once, in its partition's order."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from confluent_kafka import Producer
from examples.background import Background
from examples.running import SECONDS, running, wait_for_more, wait_until
from ingest.kill_server import Step
from ingest.served_lake import ServedLake
from pyspark.sql import SparkSession

from icemelt.ingest import ChannelName
from icemelt.names import QualifiedName

PROGRAM, TOPIC, PARTITIONS = "consume_kafka.py", "clicks", 3
TABLE = QualifiedName("main", "public", "messages")
CHANNELS = [ChannelName(TABLE, f"{TOPIC}:{partition}") for partition in range(PARTITIONS)]
COLUMNS = "topic VARCHAR, partition INT, offset BIGINT, key VARCHAR, value VARCHAR"
# one that was killed is a member of its group for so long; the first waits 3 seconds for others
SHORT = ("-X", "session.timeout.ms=4000", "-X", "heartbeat.interval.ms=500")
OPTIONS = ("--table", "main.public.messages", *SHORT)
PAUSE = 0.01


class Topic(Background):
    """A topic of librdkafka's mock cluster, in this process; messages come all the time."""

    def __init__(self) -> None:
        super().__init__()
        self.produced = [0] * PARTITIONS
        self._producer = Producer({"bootstrap.servers": "mock", "test.mock.num.brokers": 1})
        [broker] = self._producer.list_topics(timeout=SECONDS).brokers.values()
        self.options = (PROGRAM, TOPIC, "--brokers", f"{broker.host}:{broker.port}", *OPTIONS)

    def stop(self) -> None:
        """Produce no more."""
        super().stop()
        assert self._producer.flush(SECONDS) == 0

    @property
    def last_tokens(self) -> list[str]:
        return [f"{TOPIC}:{each}:{many - 1}" for each, many in enumerate(self.produced)]

    def work(self) -> None:
        """Produce."""
        while not self.ended.wait(PAUSE):
            for partition in range(PARTITIONS):
                number = self.produced[partition]
                self._producer.produce(TOPIC, str(number), str(partition), partition)
                self.produced[partition] += 1
            self._producer.poll(0)


def consumed(lake: ServedLake) -> dict[int, list[tuple[int, str, str]]]:
    """Return the messages of each partition in the order in which they were committed."""
    with lake.session() as session:
        rows = session.sql("SELECT * FROM messages ORDER BY _row_id").fetchall()
    assert {topic for topic, *_ in rows} == {TOPIC}
    found = defaultdict(list)
    for _, partition, *message in rows:
        found[partition].append(tuple(message))
    return found


@pytest.mark.slow
def test_killed_consumers_and_servers_neither_lose_nor_double_messages(
    spark: SparkSession, tmp_path: Path
) -> None:
    lake = ServedLake(spark, tmp_path)
    with lake.session() as session:
        session.sql(f"CREATE TABLE messages ({COLUMNS})")
    with (
        Topic() as topic,
        lake.server(Step.APPEND, 2) as server,
        running(lake, *topic.options) as consumer,
    ):
        assert server.wait(SECONDS) == -9
        with lake.server():
            wait_for_more(lake, CHANNELS)
            consumer.kill()
            with running(lake, *topic.options):
                wait_for_more(lake, CHANNELS)
                topic.stop()
                wait_until(lake, CHANNELS, lambda found: found == topic.last_tokens)
    assert consumed(lake) == {
        partition: [(number, str(partition), str(number)) for number in range(many)]
        for partition, many in enumerate(topic.produced)
    }
