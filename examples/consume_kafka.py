r"""Write the messages of a Kafka topic into a table, each exactly once.

    icemelt sql ./lake -c "CREATE TABLE messages \
      (topic VARCHAR, partition INT, offset BIGINT, key VARCHAR, value VARCHAR)"
    icemelt serve ./lake
    pip install confluent-kafka
    ICEMELT_KEY=ice_… python examples/consume_kafka.py clicks --brokers localhost:9092 \
      --table main.public.messages

Start as many as the topic has partitions: Kafka's group divides these among them. Each partition
has a channel of its own; its offset token `topic:partition:offset` is committed with the rows.
Who is assigned a partition opens its channel and reads on after that token, so that nothing hangs
on the offsets which Kafka keeps for a group, nor on a member that was thought dead: its channel is
invalid from then on. Messages that Kafka deleted before they were read end the program.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, Message, TopicPartition

from icemelt.errors import IcemeltError
from icemelt.ingest import Channel, ChannelInvalid, StreamingIngestClient

# in one round, which ends with a commit
MESSAGES, SECONDS = 10_000, 1.0

Place = tuple[str, int]


@dataclass
class Partitions:
    """The partitions that are assigned to this consumer, each with its channel."""

    consumer: Consumer
    client: StreamingIngestClient
    table: str
    channels: dict[Place, Channel] = field(default_factory=dict)

    def assign(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        """Read partitions from after what is committed of each."""
        consumer.assign([self.opened((each.topic, each.partition)) for each in partitions])

    def revoke(self, _consumer: Consumer, partitions: list[TopicPartition]) -> None:
        """Forget partitions; who is assigned them now opens their channels anew."""
        for each in partitions:
            self.channels.pop((each.topic, each.partition), None)

    def opened(self, place: Place) -> TopicPartition:
        """Open a partition's channel; return where to go on."""
        topic, partition = place
        name = f"{topic}:{partition}"
        self.channels[place], status = self.client.open_channel(name, *self.table.split("."))
        token = status.latest_committed_offset_token
        offset = OFFSET_BEGINNING if token is None else int(token.rpartition(":")[2]) + 1
        return TopicPartition(topic, partition, offset)

    def write(self, messages: Sequence[Message]) -> None:
        """Write messages, and wait until they are committed."""
        found: dict[Place, list[dict[str, Any]]] = defaultdict(list)
        for row in map(row_of, messages):
            found[row["topic"], row["partition"]].append(row)
        for place, rows in found.items():
            token = f"{place[0]}:{place[1]}:{rows[-1]['offset']}"
            with self.going_back(place):
                self.channels[place].append_rows(rows, end_offset_token=token)
        for place in found:
            with self.going_back(place):
                self.channels[place].wait_for_flush()

    @contextlib.contextmanager
    def going_back(self, place: Place) -> Iterator[None]:
        """Where a channel is invalid, read again what it had not committed."""
        try:
            yield
        except ChannelInvalid as error:
            print(error, file=sys.stderr)
            self.consumer.seek(self.opened(place))


def row_of(message: Message) -> dict[str, Any]:
    """Return a message as a row."""
    if (error := message.error()) is not None:
        raise KafkaException(error)
    key, value = message.key(), message.value()
    return {
        "topic": message.topic(),
        "partition": message.partition(),
        "offset": message.offset(),
        "key": None if key is None else key.decode(errors="replace"),
        "value": None if value is None else value.decode(errors="replace"),
    }


def main() -> None:
    """Consume until interrupted."""
    parser = argparse.ArgumentParser(description="Write the messages of a topic into a table.")
    parser.add_argument("topic")
    parser.add_argument("--brokers", required=True, help="HOST:PORT,…")
    parser.add_argument("--table", required=True, help="DATABASE.SCHEMA.TABLE")
    parser.add_argument("--group", default="icemelt")
    parser.add_argument("-X", action="append", default=[], help="NAME=VALUE, of librdkafka")
    parser.add_argument("--url", default=os.environ.get("ICEMELT_URL"))
    parser.add_argument("--key", default=os.environ.get("ICEMELT_KEY"))
    arguments = parser.parse_args()
    settings = dict(setting.split("=", 1) for setting in arguments.X) | {
        "bootstrap.servers": arguments.brokers,
        "group.id": arguments.group,
        "enable.auto.commit": False,
        # a position comes from a channel; one that Kafka no longer has is an error
        "auto.offset.reset": "error",
    }
    with (
        StreamingIngestClient(arguments.url, arguments.key) as client,
        Consumer(settings) as consumer,
    ):
        partitions = Partitions(consumer, client, arguments.table)
        consumer.subscribe([arguments.topic], partitions.assign, partitions.revoke)
        while True:
            partitions.write(consumer.consume(MESSAGES, SECONDS))


if __name__ == "__main__":
    try:
        main()
    except (IcemeltError, KafkaException) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
