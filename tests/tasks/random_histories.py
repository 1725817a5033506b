"""Random graphs and histories of a simulated lake, compared with the contract at each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from random import Random

from contract_model import ModelTask
from simulated_lake import PYTHON, BodyPlan, SimulatedClock, SimulatedLake, SimulatedScheduler

from icemelt.catalog.database import Database
from icemelt.errors import SparkDied
from icemelt.session.tasks.execution import ClaimedRun
from icemelt.session.tasks.turns import SchedulerOptions

__all__ = ["History", "run_history"]

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
# days before a clock is set forward or back, and others
BEGINS = ("2025-03-08", "2025-03-29", "2025-10-25", "2025-04-05", "2024-12-20", "2025-10-31")
SCHEDULES = (
    "USING CRON 30 2 * * * Europe/Berlin",
    "USING CRON 15,45 1-3 * * * America/New_York",
    "USING CRON */20 2 * * SAT,SUN Europe/Berlin",
    "USING CRON 0 */6 * * MON-FRI America/New_York",
    "USING CRON 0 0 L * * Australia/Lord_Howe",
    "USING CRON 45 1 1,15 * 5L Australia/Lord_Howe",
    "USING CRON 0 9 */10 * FRI Asia/Kathmandu",
    "30 SECONDS",
    "20 MINUTES",
    "6 HOURS",
    "36 HOURS",
    "192 HOURS",
)
POLICIES = ("NO_OVERLAP", "ALLOW_CHILD_OVERLAP", "ALLOW_ALL_OVERLAP")
CONFIGS = ('{"a": {"b": 1, "c": 2}}', '{"a": {"b": 7}, "d": [1]}', '{"e": null}')


class Killed(BaseException):
    """A scheduler is killed at a step of a turn."""


@dataclass(eq=False)
class History:
    """A random history of one lake.

    Attributes:
        seed: decides everything.
        lake: the lake.
        pace: the mean time between two things that users do, in milliseconds.
        counts: how often each thing was done.
        story: what was done when, for who reads of a failure.
    """

    seed: str
    lake: SimulatedLake
    random: Random
    pace: int
    lease: int
    began: int = field(init=False)
    counts: Counter[str] = field(default_factory=Counter)
    story: list[str] = field(default_factory=list)
    made: int = 0

    def __post_init__(self) -> None:
        self.began = self.lake.now

    @property
    def days(self) -> int:
        """How many days have passed."""
        return (self.lake.now - self.began) // DAY

    # ------------------------------------------------------------------------------------- steps

    def run(self, steps: int) -> None:
        """Take steps, each at the next moment at which something is due."""
        self.make_graph()
        self.start_scheduler()
        user_acts_at = self.lake.now
        for _ in range(steps):
            moment = self._next_moment()
            if moment is None or user_acts_at <= moment:
                self.lake.set_time(max(user_acts_at, self.lake.now))
                self._act_as_user()
                user_acts_at = self.lake.now + int(self.random.expovariate(1 / self.pace))
            else:
                self.lake.set_time(max(moment, self.lake.now))
                self._act_as_schedulers()
            self.lake.compare()
        self.lake.compare_history()

    def _next_moment(self) -> int | None:
        """Return when a scheduler is to do something; None where none lives."""
        moments = []
        for scheduler in self.lake.schedulers:
            if scheduler.paused_until is not None:
                moments.append(scheduler.paused_until)
                continue
            acts = scheduler.next_act()
            moments += [] if acts is None else [acts]
            wake = self.lake.model.next_wake()
            moments += [] if wake is None else [wake]
            is_free = len(scheduler.bodies) < scheduler.options.parallel
            is_behind = scheduler.looked_at < len(self.lake.published)
            left = len(self.lake.model.claimable()) - len(scheduler.find_foreign())
            if is_behind or (is_free and left):
                moments.append(self.lake.now + self.random.choice([0, 100, 3_000]))
        return min(moments, default=None)

    def _act_as_schedulers(self) -> None:
        """Have the schedulers do what is due, in any order; some are killed on the way."""
        for scheduler in self.random.sample(self.lake.schedulers, len(self.lake.schedulers)):
            if scheduler.paused_until is not None:
                if scheduler.paused_until > self.lake.now:
                    continue
                scheduler.paused_until = None
            scheduler.act()
            try:
                scheduler.turn()
            except Killed:
                self._note("killed in a turn", scheduler.name)
                self.lake.schedulers.remove(scheduler)

    # ------------------------------------------------------------------------------------ bodies

    def plan_body(self, run: ClaimedRun) -> BodyPlan:
        """Return what becomes of the body of a run."""
        task = self.lake.model.tasks.get(run.task)
        duration = int(self.lease * self.random.choice([0, 0.01, 0.1, 0.5, 1.5, 4]))
        fate = self.random.random()
        if task is not None and task.has_condition and task.id not in self.lake.broken:
            has_data = self.lake.has_data.get(run.root_id, False)
            self.lake.has_data[run.root_id] = has_data and fate < 0.3
            if not has_data:
                return 0, "SKIPPED", None, None
        if fate > 0.8 or (task is not None and task.id in self.lake.broken):
            return duration, "FAILED", "value-refused", None
        if fate > 0.75:
            return 0, "SKIPPED", None, None
        return duration, "SUCCEEDED", None, self.random.choice([None, f"value {run.token}"])

    def at_step(self, scheduler: SimulatedScheduler, step: str) -> None:
        """Kill a scheduler at a step of its turn, or take its Spark away."""
        if self.random.random() < 0.006:
            raise Killed
        if step == "take_place" and self.random.random() < 0.02:
            scheduler.has_claimed_all = False
            raise SparkDied("Spark is gone.", hint="Wait.")

    def after_look(self, root_id: str) -> None:
        """Have rows published, and the root told, before the registry knows of a look."""
        if self.random.random() < 0.1:
            self.lake.tell_of_rows(root_id)

    # ------------------------------------------------------------------------------------- users

    def _act_as_user(self) -> None:
        if not self.lake.model.roots:
            self.make_graph()
        acts: dict[Callable[[], None], float] = {
            self.start_scheduler: 6 if len(self.lake.schedulers) < 4 else 0,
            self.kill_scheduler: 2.5,
            self.pause_scheduler: 3,
            self.make_graph: 2 if len(self.lake.model.tasks) < 16 else 0,
            self.add_child: 2 if len(self.lake.model.tasks) < 24 else 0,
            self.resume: 9,
            self.suspend: 3,
            self.move: 2,
            self.finalize: 1,
            self.set_condition: 1,
            self.reschedule: 3,
            self.set_clock: 1,
            self.set_option: 5,
            self.drop: 1,
            self.execute: 6,
            self.retry: 4,
            self.cancel: 4,
            self.publish: 10,
        }
        [act] = self.random.choices([*acts], [*acts.values()])
        self._note(act.__name__)
        act()

    def start_scheduler(self) -> None:
        options = SchedulerOptions(
            parallel=self.random.choice([1, 2, 4, 8]), lease_seconds=self.lease / 1_000
        )
        self.made += 1
        name = f"scheduler-{self.made}"
        scheduler = SimulatedScheduler(self.lake, name, options, self.plan_body, self.at_step)
        scheduler.after_look = self.after_look
        scheduler.has_python = self.random.random() < 0.7
        self.lake.schedulers.append(scheduler)

    def kill_scheduler(self) -> None:
        if self.lake.schedulers:
            self.lake.schedulers.remove(self.random.choice(self.lake.schedulers))

    def pause_scheduler(self) -> None:
        if self.lake.schedulers:
            scheduler = self.random.choice(self.lake.schedulers)
            leases = self.random.choice([0.2, 0.9, 1.1, 3, 30])
            scheduler.paused_until = self.lake.now + int(leases * self.lease)

    def make_graph(self) -> None:
        """Make a root, up to five children, and a finalizer."""
        root = self._name("root")
        is_triggered = self.random.random() < 0.3
        options = dict(
            filter(None, (self._option(name) for name in self.random.sample(_ROOT_OPTIONS, 3)))
        )
        if is_triggered:
            options.pop("SCHEDULE", None)
        else:
            options.setdefault("SCHEDULE", self.random.choice(SCHEDULES))
        has_condition = is_triggered or self.random.random() < 0.1
        given = tuple(options.items())
        made = [ModelTask(root, "", (), None, self._often(), has_condition, options=given)]
        for _ in range(self.random.randint(0, 5)):
            names = [task.name for task in made]
            after = self.random.sample(names, self.random.randint(1, min(2, len(names))))
            is_started = self._often()
            made.append(ModelTask(self._name("child"), "", tuple(after), is_started=is_started))
        if self.random.random() < 0.5:
            name = self._name("last")
            made.append(ModelTask(name, "", finalizes=root, is_started=self._often()))
        self.lake.create(*made)

    def add_child(self) -> None:
        task = self._any_task()
        if task.finalizes is None:
            child = ModelTask(self._name("child"), "", (task.name,), is_started=self._often())
            self.lake.create(child)

    def resume(self) -> None:
        suspended = [task for task in self.lake.model.tasks.values() if not task.is_started]
        if suspended:
            self._alter(replace(self.random.choice(suspended), is_started=True))

    def suspend(self) -> None:
        """Suspend a task, often the root of a run that nobody executes yet."""
        waiting = [self.lake.model.roots[run[0]].root for run in self.lake.model.claimable()]
        task = self.random.choice([self._any_task(), *waiting])
        if task.is_started:
            self._alter(replace(task, is_started=False))

    def move(self) -> None:
        """Add or remove a predecessor."""
        task, other = self._any_task(), self._any_task()
        if task.after and self.random.random() < 0.5:
            gone = self.random.choice(task.after)
            after = tuple(name for name in task.after if name != gone)
        else:
            after = tuple(dict.fromkeys((*task.after, other.name)))
        if after != task.after:
            self._alter(replace(task, after=after))

    def finalize(self) -> None:
        """Let a task finalize a graph, or no longer."""
        task, root = self._any_task(), self._any_root()
        if task.name != root.name:
            finalizes = None if task.finalizes else root.name
            self._alter(replace(task, after=(), finalizes=finalizes))

    def set_condition(self) -> None:
        task = self._any_task()
        self._alter(replace(task, has_condition=not task.has_condition))

    def reschedule(self) -> None:
        """Give a started root another schedule."""
        task = self._any_root()
        if task.schedule and task.is_started:
            others = [schedule for schedule in SCHEDULES if schedule != task.schedule]
            options = {**dict(task.options), "SCHEDULE": self.random.choice(others)}
            self._alter(replace(task, options=tuple(sorted(options.items()))))

    def set_clock(self) -> None:
        """Set the database's clock."""
        self.lake.set_clock(self.random.choice([-HOUR, -MINUTE, -10, MINUTE, HOUR]))

    def set_option(self) -> None:
        """Set or unset an option, or change the body."""
        task = self._any_task()
        if self.random.random() < 0.3:
            word = self.random.choice(["SELECT", "SELECT", PYTHON])
            self._alter(replace(task, body=f"{word} {self.random.randint(1, 9)}"))
            return
        options = dict(task.options)
        names = _ROOT_OPTIONS if task.is_root else _ALL_OPTIONS
        name = self.random.choice(names)
        if options.pop(name, None) is None or self.random.random() < 0.6:
            options |= dict(filter(None, [self._option(name)]))
        is_triggered = task.has_condition and "SCHEDULE" not in dict(task.options)
        if is_triggered:
            options.pop("SCHEDULE", None)
        changed = replace(task, options=tuple(sorted(options.items())))
        if dict(changed.options) != dict(task.options):
            self._alter(changed)

    def drop(self) -> None:
        if len(self.lake.model.tasks) > 1:
            self.lake.drop(self._any_task().name)

    def execute(self) -> None:
        """Execute a graph, sometimes twice: then a run waits."""
        name = self._any_root().name
        for _ in range(self.random.choice([1, 1, 2])):
            self.lake.execute(name, self.random.choice([None, None, *CONFIGS]))

    def retry(self) -> None:
        self.lake.retry(self._any_root().name)

    def cancel(self) -> None:
        """Cancel the runs of a task, often one that has some."""
        root = self.random.choice([*self.lake.model.roots.values()])
        under_way = [
            row.task for run in root.active for row in run.rows.values() if row.completed is None
        ]
        self.lake.cancel(root.name, self.random.choice([*root.tasks, *under_way, *under_way]))

    def publish(self) -> None:
        """Publish rows, often for many graphs; streams are broken and mended on the way."""
        triggered = [task for task in self.lake.model.tasks.values() if task.has_condition]
        for task in triggered:
            if self.random.random() < 0.6:
                self.lake.publish_rows(task.id, has_data=self.random.random() < 0.8)
            if self.random.random() < 0.05:
                self.lake.broken ^= {task.id}

    # ------------------------------------------------------------------------------------- within

    def _alter(self, wanted: ModelTask) -> None:
        is_done = self.lake.alter(wanted)
        self._note("altered" if is_done else "refused", wanted.name)

    def _any_task(self) -> ModelTask:
        return self.random.choice([*self.lake.model.tasks.values()])

    def _any_root(self) -> ModelTask:
        return self.random.choice([*self.lake.model.roots.values()]).root

    def _option(self, name: str) -> tuple[str, str] | None:
        lease = self.lease
        values: dict[str, tuple[object, ...]] = {
            "SCHEDULE": SCHEDULES,
            "OVERLAP_POLICY": POLICIES,
            "CONFIG": CONFIGS,
            "TASK_AUTO_RETRY_ATTEMPTS": (0, 1, 2, 3),
            "SUSPEND_TASK_AFTER_NUM_FAILURES": (0, 1, 2, 3),
            "USER_TASK_TIMEOUT_MS": (lease // 2 + 1, lease * 2 + 1, lease * 3 + 1),
            "USER_TASK_MINIMUM_TRIGGER_INTERVAL_IN_SECONDS": (1, 20, 600),
        }
        return name, str(self.random.choice(values[name]))

    def _name(self, kind: str) -> str:
        self.made += 1
        return f"{kind}{self.made}"

    def _often(self) -> bool:
        return self.random.random() < 0.85

    def _note(self, what: str, about: str = "") -> None:
        self.counts[what] += 1
        at = datetime.fromtimestamp(self.lake.now / 1_000, UTC)
        self.story.append(f"{at:%F %T.%f} {what} {about}")


_ALL_OPTIONS = ("USER_TASK_TIMEOUT_MS",)
_ROOT_OPTIONS = (
    *_ALL_OPTIONS,
    "SCHEDULE",
    "OVERLAP_POLICY",
    "CONFIG",
    "TASK_AUTO_RETRY_ATTEMPTS",
    "SUSPEND_TASK_AFTER_NUM_FAILURES",
    "USER_TASK_MINIMUM_TRIGGER_INTERVAL_IN_SECONDS",
)


def run_history(database: Database, clock: SimulatedClock, seed: str, steps: int) -> History:
    """Run a random history; an error of the comparison tells the seed and the story.

    Args:
        database: a new lake's, with the clock.
        clock: the clock, which the history sets.
        seed: decides everything.
        steps: how many things happen, each at its moment.
    """
    random = Random(seed)  # noqa: S311 - chance is what is wanted
    clock.now = int(datetime.fromisoformat(random.choice(BEGINS)).replace(tzinfo=UTC).timestamp())
    clock.now *= 1_000
    pace, lease = random.choice(
        [(5 * MINUTE, MINUTE), (2 * HOUR, 10 * MINUTE), (DAY, HOUR), (4 * DAY, 2 * HOUR)]
    )
    history = History(seed, SimulatedLake(database, clock), random, pace, lease)
    try:
        history.run(steps)
    except BaseException as error:
        error.add_note(f"seed {seed!r}\n" + "\n".join(history.story[-40:]))
        raise
    return history
