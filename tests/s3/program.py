"""A program whose Spark has Hadoop's connector of S3: it runs the statements that it is told.

Each line of its input is a statement, as JSON; each line of its output is the answer: the rows, or
the code and the message of the error. It runs by itself, since a process has one Spark. Its
arguments are a lake's folder, the address of a simulated S3, and further settings of Spark, each as
`name=value`.
"""

from __future__ import annotations

import json
import sys

from object_store import HADOOP_CONNECTOR, hadoop_settings

import icemelt
from icemelt.errors import IcemeltError


def main(lake: str, address: str, *more: str) -> None:
    settings = {
        **hadoop_settings(address),
        "spark.hadoop.fs.s3a.access.key": "simulated",
        "spark.hadoop.fs.s3a.secret.key": "simulated",
        **dict(setting.split("=", 1) for setting in more),
    }
    with icemelt.connect(
        lake, master="local[2]", packages=HADOOP_CONNECTOR, conf=settings, maintain_every=None
    ) as session:
        for line in sys.stdin:
            try:
                answer = {"rows": session.sql(json.loads(line)).fetchall()}
            except IcemeltError as error:
                answer = {"error": error.code, "message": f"{error.message} {error.hint}"}
            print(json.dumps(answer, default=str), flush=True)  # noqa: T201 - its answer


if __name__ == "__main__":
    main(*sys.argv[1:])
