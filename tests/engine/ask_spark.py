"""A stranger on the machine who asks the driver of a Spark: `python ask_spark.py HOST PORT`.

Asks without a secret, with a wrong one, and with the one in STRANGER_SECRET. Each line of JSON
tells what became of one question.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkConf
from pyspark.java_gateway import launch_gateway

from icemelt.engine.start.java import find_java
from icemelt.engine.start.submit import submit_environment, submit_program

_STATUS = "org.apache.spark.storage.BlockManagerMessages$GetMemoryStatus$"
_STOP = "org.apache.spark.scheduler.local.StopExecutor$"
# endpoints, and what they are asked beside whether they are there
_QUESTIONS = {
    "BlockManagerMaster": _STATUS,
    "LocalSchedulerBackendEndpoint": _STOP,
    "HeartbeatReceiver": None,
    "MapOutputTracker": None,
    "OutputCommitCoordinator": None,
}


def main(host: str, port: int) -> None:
    os.environ |= submit_environment(find_java(), ())
    options = {"executable": str(submit_program()), "stdout": 2}
    jvm = launch_gateway(SparkConf(loadDefaults=False), options).jvm
    address = jvm.org.apache.spark.rpc.RpcAddress(host, port)
    right = os.environ["STRANGER_SECRET"]
    for name, secret in (("none", None), ("wrong", "wrong"), ("right", right)):
        env = _connected(jvm, secret)
        for endpoint, message in _QUESTIONS.items():
            # whoever has the secret could end the Spark that is asked
            said = None if message == _STOP and name == "right" else message
            outcome = _outcome(jvm, env.setupEndpointRef, address, endpoint, said)
            told = {"secret": name, "endpoint": endpoint, "outcome": outcome}
            sys.stdout.write(json.dumps(told) + "\n")
        env.shutdown()


def _connected(jvm: Any, secret: str | None) -> Any:
    conf = jvm.org.apache.spark.SparkConf(False)  # noqa: FBT003 - Java has no keywords
    for key in ("spark.rpc.askTimeout", "spark.rpc.lookupTimeout", "spark.network.timeout"):
        conf.set(key, "15s")
    conf.set("spark.rpc.io.maxRetries", "0")
    if secret is not None:
        conf.set("spark.authenticate", "true").set("spark.authenticate.secret", secret)
    manager = jvm.org.apache.spark.SecurityManager
    defaults = [getattr(manager, f"$lessinit$greater$default${place}")() for place in (2, 3)]
    security = manager(conf, *defaults)
    create = jvm.org.apache.spark.rpc.RpcEnv.create
    return create("stranger", "127.0.0.1", 0, conf, security, True)  # noqa: FBT003 - Java


def _outcome(jvm: Any, find: Any, address: Any, endpoint: str, message: str | None) -> str:
    try:
        reference = find(address, endpoint)
        if message is None:
            return "found"
        tags = getattr(getattr(jvm.scala.reflect, "ClassTag$"), "MODULE$")
        named = jvm.java.lang.Class.forName
        question = named(message).getField("MODULE$").get(None)
        reference.askSync(question, tags.apply(named("java.lang.Object")))
    except Py4JJavaError as error:
        return f"refused: {error.java_exception.toString()}"
    return "answered"


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
