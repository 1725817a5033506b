"""TPC-H's tables, tiny, at successive moments: between two of them they are refreshed at random.

What the queries ask for is there more often than in TPC-H, so that few rows do for all of them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from differentiation.oracle import Row, States
from pyspark.sql import SparkSession

from icemelt.schema import DataType, DecimalType, Primitive

__all__ = ["TPCH", "refreshes"]

_LONG, _INT, _DATE = Primitive("long"), Primitive("int"), Primitive("date")
_STRING, _MONEY = Primitive("string"), DecimalType(15, 2)
_OTHERS: Mapping[str, DataType] = {
    "s_acctbal": _MONEY,
    "c_acctbal": _MONEY,
    "p_size": _INT,
    "p_retailprice": _MONEY,
    "ps_availqty": _INT,
    "ps_supplycost": _MONEY,
    "o_totalprice": _MONEY,
    "o_orderdate": _DATE,
    "o_shippriority": _INT,
    "l_linenumber": _INT,
    "l_quantity": _MONEY,
    "l_extendedprice": _MONEY,
    "l_discount": _MONEY,
    "l_tax": _MONEY,
    "l_shipdate": _DATE,
    "l_commitdate": _DATE,
    "l_receiptdate": _DATE,
}
_COLUMNS = {
    "region": "r_regionkey r_name r_comment",
    "nation": "n_nationkey n_name n_regionkey n_comment",
    "supplier": "s_suppkey s_name s_address s_nationkey s_phone s_acctbal s_comment",
    "customer": "c_custkey c_name c_address c_nationkey c_phone c_acctbal c_mktsegment c_comment",
    "part": "p_partkey p_name p_mfgr p_brand p_type p_size p_container p_retailprice p_comment",
    "partsupp": "ps_partkey ps_suppkey ps_availqty ps_supplycost ps_comment",
    "orders": "o_orderkey o_custkey o_orderstatus o_totalprice o_orderdate o_orderpriority o_clerk "
    "o_shippriority o_comment",
    "lineitem": "l_orderkey l_partkey l_suppkey l_linenumber l_quantity l_extendedprice l_discount "
    "l_tax l_returnflag l_linestatus l_shipdate l_commitdate l_receiptdate l_shipinstruct "
    "l_shipmode l_comment",
}


def _type(column: str) -> DataType:
    return _LONG if column.endswith("key") else _OTHERS.get(column, _STRING)


TPCH: Mapping[str, Mapping[str, DataType]] = {
    table: {column: _type(column) for column in columns.split()}
    for table, columns in _COLUMNS.items()
}

_REGIONS = {1: "AMERICA", 2: "ASIA", 3: "EUROPE", 4: "MIDDLE EAST"}
_NATIONS = {
    2: ("BRAZIL", 1),
    3: ("CANADA", 1),
    6: ("FRANCE", 3),
    7: ("GERMANY", 3),
    8: ("INDIA", 2),
    20: ("SAUDI ARABIA", 4),
}
# the nations of the suppliers
_SEATS = (2, 3, 6, 7, 8, 20, 7, 3, 20)
_SEGMENTS = ("BUILDING", "BUILDING", "MACHINERY")
_NAMES = ("forest green", "forest ivory", "ivory green", "linen blue")
_TYPES = (
    "ECONOMY ANODIZED STEEL",
    "PROMO BURNISHED BRASS",
    "LARGE PLATED BRASS",
    "MEDIUM POLISHED TIN",
)
_SIZES = (1, 3, 9, 14, 15, 15)
_KINDS = (
    ("Brand#12", "SM BOX"),
    ("Brand#23", "MED BOX"),
    ("Brand#23", "MED BOX"),
    ("Brand#34", "LG CASE"),
    ("Brand#45", "JUMBO PKG"),
)
_PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "5-LOW")
# the first days of a time, and how many they are
_TIMES = (
    (date(1993, 7, 1), 180),
    (date(1993, 8, 1), 150),
    (date(1994, 1, 1), 360),
    (date(1994, 1, 1), 360),
    (date(1995, 1, 20), 60),
    (date(1995, 7, 20), 60),
    (date(1995, 12, 1), 110),
    (date(1996, 3, 1), 300),
)
_BIG = 0.12

Values = dict[str, Any]


def refreshes(spark: SparkSession, seed: int, intervals: int = 2) -> list[States]:
    """Return the tables in successive intervals, in each of which they are refreshed once."""
    business = _Business(seed)
    business.begin()
    made = []
    for number in range(intervals):
        states = States(spark, TPCH, f"tpch_{number}")
        before = business.rows()
        business.refresh()
        for table, after in business.rows().items():
            moved = [each for each in before[table] if business.chance.random() < 0.1]
            states.put(table, before[table], after, moved)
        made.append(states)
    return made


class _Business:
    """The tables' rows by their ids, and what befalls them."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(f"TPC-H {seed}")  # noqa: S311 - chance is wanted
        self._held: dict[str, dict[int, Values]] = {table: {} for table in TPCH}
        self._rows = 0
        self._orders = 0

    def rows(self) -> dict[str, dict[int, Row]]:
        """Return the rows as they are now."""
        return {
            table: {
                number: tuple(values[column] for column in TPCH[table])
                for number, values in held.items()
            }
            for table, held in self._held.items()
        }

    def begin(self) -> None:
        """Fill the tables."""
        for key, name in _REGIONS.items():
            self._add("region", r_regionkey=key, r_name=name)
        for key, (name, region) in _NATIONS.items():
            self._add("nation", n_nationkey=key, n_name=name, n_regionkey=region)
        for key in range(1, 10):
            self._add_supplier(key)
        for key in range(1, 16):
            self._add_customer(key)
        for key in range(1, 13):
            self._add("part", p_partkey=key, p_mfgr=f"Manufacturer#{key % 5}", **self._part())
            for supplier in self.chance.sample(range(1, 10), 3):
                self._add("partsupp", ps_partkey=key, ps_suppkey=supplier, **self._supply())
        for _ in range(45):
            self._add_order()

    def refresh(self) -> None:
        """Let orders come and go with their lines, and let rows of all larger tables change."""
        for number in self._some("orders", 7):
            key = self._held["orders"].pop(number)["o_orderkey"]
            lines = self._held["lineitem"]
            self._held["lineitem"] = {
                each: line for each, line in lines.items() if line["l_orderkey"] != key
            }
        for table, many, change in (
            ("lineitem", 16, self._changed_line),
            ("orders", 5, self._changed_order),
            ("customer", 4, self._changed_customer),
            ("supplier", 3, self._changed_supplier),
            ("part", 3, self._part),
            ("partsupp", 5, self._supply),
        ):
            for number in self._some(table, many):
                self._held[table][number] = self._held[table][number] | change()
        self._deliver_anew()
        for number in self._some("partsupp", 2):
            supply = self._held["partsupp"].pop(number)
            supplier = supply["ps_suppkey"] % 9 + 1
            self._add("partsupp", **supply | {"ps_suppkey": supplier})
        self._add_customer(len(self._held["customer"]) + 1)
        for _ in range(8):
            self._add_order()

    def _add(self, table: str, **values: Any) -> Values:
        self._rows += 1
        made = dict.fromkeys(TPCH[table], "nothing") | values
        self._held[table][self._rows] = made
        return made

    def _some(self, table: str, many: int) -> Sequence[int]:
        return self.chance.sample(list(self._held[table]), many)

    def _money(self, low: int, high: int) -> Decimal:
        return Decimal(self.chance.randint(100 * low, 100 * high)).scaleb(-2)

    def _add_supplier(self, key: int) -> None:
        name, nation = f"Supplier#{key}", _SEATS[key % len(_SEATS)]
        self._add("supplier", s_suppkey=key, s_name=name, **self._seat("s", nation))

    def _add_customer(self, key: int) -> None:
        nation = self.chance.choice(list(_NATIONS))
        segment = self.chance.choice(_SEGMENTS)
        values = {"c_custkey": key, "c_name": f"Customer#{key}", "c_mktsegment": segment}
        self._add("customer", **values, **self._seat("c", nation))

    def _seat(self, letter: str, nation: int) -> Values:
        phone = f"{nation + 10}-{self.chance.randint(100, 999)}"
        balance = self._money(-500, 9999)
        return {
            f"{letter}_nationkey": nation,
            f"{letter}_phone": phone,
            f"{letter}_acctbal": balance,
        }

    def _changed_customer(self) -> Values:
        if self.chance.random() < 0.5:
            return self._seat("c", self.chance.choice(list(_NATIONS)))
        return {"c_acctbal": self._money(0, 9999), "c_mktsegment": self.chance.choice(_SEGMENTS)}

    def _changed_supplier(self) -> Values:
        comment = self.chance.choice(("nothing", "Customer has Complaints"))
        if self.chance.random() < 0.3:
            return self._seat("s", self.chance.choice(list(_NATIONS))) | {"s_comment": comment}
        return {"s_acctbal": self._money(-500, 9999), "s_comment": comment}

    def _part(self) -> Values:
        brand, container = self.chance.choice(_KINDS)
        return {
            "p_name": self.chance.choice(_NAMES),
            "p_brand": brand,
            "p_type": self.chance.choice(_TYPES),
            "p_size": self.chance.choice(_SIZES),
            "p_container": container,
            "p_retailprice": self._money(900, 2000),
        }

    def _supply(self) -> Values:
        return {
            "ps_availqty": self.chance.randint(1, 60),
            "ps_supplycost": self._money(1, 1000),
        }

    def _add_order(self) -> None:
        self._orders += 1
        start, days = self.chance.choice(_TIMES)
        ordered = start + timedelta(self.chance.randrange(days))
        customers = [each["c_custkey"] for each in self._held["customer"].values()]
        self._add(
            "orders",
            o_orderkey=self._orders,
            # of three customers one has no orders
            o_custkey=self.chance.choice([key for key in customers if key % 3]),
            o_orderdate=ordered,
            o_shippriority=0,
            **self._changed_order(),
        )
        is_big = self.chance.random() < _BIG
        for number in range(1, 8 if is_big else self.chance.randint(2, 5)):
            self._add_line(number, ordered, is_big=is_big)

    def _changed_order(self) -> Values:
        return {
            "o_orderstatus": self.chance.choice("FFO"),
            "o_totalprice": self._money(1000, 400_000),
            "o_orderpriority": self.chance.choice(_PRIORITIES),
            "o_clerk": f"Clerk#{self.chance.randint(1, 3)}",
            "o_comment": self.chance.choice(("nothing", "special fast requests")),
        }

    def _add_line(self, number: int, ordered: date, *, is_big: bool) -> None:
        supply = self.chance.choice(list(self._held["partsupp"].values()))
        quantity = self.chance.randint(44, 50) if is_big else self.chance.randint(1, 30)
        shipped = ordered + timedelta(self.chance.randint(1, 121))
        self._add(
            "lineitem",
            l_orderkey=self._orders,
            l_partkey=supply["ps_partkey"],
            l_suppkey=supply["ps_suppkey"],
            l_linenumber=number,
            l_quantity=Decimal(quantity),
            l_tax=Decimal(self.chance.randint(0, 8)).scaleb(-2),
            l_linestatus="F" if shipped < date(1995, 6, 17) else "O",
            l_shipdate=shipped,
            l_commitdate=ordered + timedelta(self.chance.randint(30, 90)),
            l_receiptdate=shipped + timedelta(self.chance.randint(1, 30)),
            l_shipinstruct=self.chance.choice(("DELIVER IN PERSON", "NONE")),
            l_shipmode=self.chance.choice(("AIR", "AIR REG", "MAIL", "SHIP")),
            **self._price(),
        )

    def _price(self) -> Values:
        return {
            "l_extendedprice": self._money(900, 90_000),
            "l_discount": Decimal(self.chance.randint(4, 8)).scaleb(-2),
            "l_returnflag": self.chance.choice("ANRR"),
        }

    def _changed_line(self) -> Values:
        if self.chance.random() < 0.4:
            return {"l_quantity": Decimal(self.chance.randint(1, 30))}
        return self._price()

    def _deliver_anew(self) -> None:
        """Let some lines be received another day, in time or late."""
        lines = self._held["lineitem"]
        for number in self._some("lineitem", 12):
            received = lines[number]["l_commitdate"] + timedelta(self.chance.randint(-20, 20))
            lines[number] = lines[number] | {"l_receiptdate": received}
