"""Functions that run inside the JVM, made of Java methods by name.

A list of ten thousand files costs ten thousand calls when Python asks each for its location, and
one when the JVM does. `MethodHandleProxies` turns a chain of Java methods into a
`java.util.function.Function` without a compiler.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["SHOWN", "JvmFunctions"]

_SEPARATOR = "\0"
_GUAVA = "org.apache.iceberg.relocated.com.google.common"
_LISTED = (
    f"{_GUAVA}.collect.Lists",
    "newArrayList",
    "java.lang.Iterable",
)
_STREAMED = ("java.util.Collection", "stream")
_COUNTED = ("java.util.Collection", "size")
SHOWN = ("java.util.Objects", "toString", "java.lang.Object")
_PARSED = ("java.lang.Integer", "valueOf", "java.lang.String")
_FUNCTION = "java.util.function.Function"
Step = tuple[str, ...]
Chain = tuple[Step, ...]


class _JavaClass:
    """A Java class whose static members are found once; py4j asks the JVM for them each time."""

    def __init__(self, found: Any) -> None:
        self._found = found

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._found, name)
        setattr(self, name, member)
        return member

    def __call__(self, *arguments: Any) -> Any:
        return self._found(*arguments)


@dataclass(slots=True)
class JvmFunctions:
    """Makes and keeps such functions.

    A chain is steps of a class, a method's name and its parameters' classes: none, or the one of a
    static method. Each step is called on what the one before returned.
    """

    jvm: Any
    gateway: Any
    _handles: dict[Chain, Any] = field(default_factory=dict)
    _functions: dict[tuple[str, Chain], Any] = field(default_factory=dict)
    _classes: dict[str, Any] = field(default_factory=dict)
    _names: dict[str, Any] = field(default_factory=dict)
    _tests: dict[Chain, Any] = field(default_factory=dict)
    _int_methods: dict[tuple[str, str], Any] = field(default_factory=dict)
    _joining: Any = None

    def java_class(self, class_name: str) -> Any:
        """Return a Java class for its static methods and constructors.

        Walking the packages costs a call for each step, so it is done once.
        """
        if class_name not in self._names:
            found = self.jvm
            for part in class_name.split("."):
                found = getattr(found, part)
            self._names[class_name] = _JavaClass(found)
        return self._names[class_name]

    def load_class(self, name: str) -> Any:
        """Return a Java class itself, `java.lang.Class`; one that is not there is Java's error."""
        if name not in self._classes:
            loader = self.java_class("java.lang.Thread").currentThread().getContextClassLoader()
            initialize = True
            self._classes[name] = self.java_class("java.lang.Class").forName(
                name, initialize, loader
            )
        return self._classes[name]

    def array(self, class_name: str, elements: Sequence[Any]) -> Any:
        """Return a Java array of a class."""
        java_array = self.gateway.new_array(self.java_class(class_name), len(elements))
        for index, element in enumerate(elements):
            java_array[index] = element
        return java_array

    def to_list(self, java_iterable: Any) -> Any:
        """Return the elements of a Java iterable as a Java list."""
        lists = self.java_class(f"{_GUAVA}.collect.Lists")
        return lists.newArrayList(java_iterable)

    def elements(self, java_iterable: Any) -> list[Any]:
        """Return the elements of a Java iterable, one call each.

        Python's own loop over a Java iterator ends by an exception, which costs more than ten
        calls.
        """
        java_list = self.to_list(java_iterable)
        return [java_list.get(index) for index in range(java_list.size())]

    def strings(self, java_list: Any, *chain: Step) -> list[str]:
        """Return the string that a chain gives for each element of a Java list."""
        function = self._function(_FUNCTION, chain)
        if self._joining is None:
            self._joining = self.java_class("java.util.stream.Collectors").joining(_SEPARATOR)
        text: str = java_list.stream().map(function).collect(self._joining)
        return [] if not text and java_list.isEmpty() else text.split(_SEPARATOR)

    def total(self, java_list: Any, *chain: Step) -> int:
        """Return the sum of the numbers that a chain gives for the elements of a Java list."""
        function = self._function("java.util.function.ToLongFunction", chain)
        return int(java_list.stream().mapToLong(function).sum())

    def filter_by_string(self, java_list: Any, wanted: Iterable[str], *chain: Step) -> Any:
        """Return the elements of a Java list for which a chain gives a wanted string, as one."""
        return java_list.stream().filter(self._string_test(wanted, chain)).toList()

    def find_in_sources(
        self,
        sources: Any,
        opening: Chain,
        rest: Sequence[Any],
        wanted: Collection[str],
        *chain: Step,
    ) -> tuple[Any, int]:
        """Return the elements of iterables for which a chain gives a wanted string, one for each.

        `opening` makes an iterable of a source and of `rest`, the further arguments of its steps.
        Sources are opened one by one until all is found; the second result is how many were.
        """
        opened = self.java_class("java.util.ArrayList")()
        add = self._method("java.util.List", "add", "java.lang.Object").bindTo(opened)
        elements = sources.stream().peek(self._as_interface("java.util.function.Consumer", add))
        elements = elements.flatMap(self._opener(opening, rest, _LISTED, _STREAMED))
        found = elements.filter(self._string_test(wanted, chain)).limit(len(wanted)).toList()
        return found, opened.size()

    def map_each(self, java_list: Any, *chain: Step) -> Any:
        """Return what a chain gives for each element of a Java list, as one."""
        return java_list.stream().map(self._function(_FUNCTION, chain)).toList()

    def pick(self, java_list: Any, indexes: Sequence[int]) -> Any:
        """Return the elements of a Java list at some indexes, in the order of these, as one."""
        get = self._int_method("java.util.List", "get").bindTo(java_list)
        kind = get.type().changeParameterType(0, self.load_class("java.lang.Integer"))
        return self._integers(indexes).map(self._as_interface(_FUNCTION, get.asType(kind))).toList()

    def flat_map(
        self, sources: Any, opening: Chain, rest: Sequence[Any] = ()
    ) -> tuple[Any, list[int]]:
        """Return the elements of iterables in one Java list, and how many each has.

        `opening` makes an iterable of a source and of `rest`, the further arguments of its steps.
        """
        lists = sources.stream().map(self._opener(opening, rest, _LISTED)).toList()
        counts = self.strings(lists, _COUNTED, SHOWN)
        elements = lists.stream().flatMap(self._function(_FUNCTION, (_STREAMED,))).toList()
        return elements, [int(count) for count in counts]

    def build_each(self, java_list: Any, builder: Step, source: Any, building: Chain) -> Any:
        """Return a Java list of what `building` gives for each element.

        Its first step is called on what `builder`, a static method, makes anew of a source.
        """
        handles = self.java_class("java.lang.invoke.MethodHandles")
        arguments = self.array("java.lang.Object", [source])
        made = handles.insertArguments(self._method(*builder), 0, arguments)
        handle = handles.collectArguments(self._handle(building), 0, made)
        return java_list.stream().map(self._as_interface(_FUNCTION, handle)).toList()

    def construct_each(
        self,
        java_list: Any,
        class_name: str,
        parameters: Sequence[str],
        rest: Sequence[Any],
        beside: Any = None,
    ) -> Any:
        """Return a Java list of new objects: each element and `rest` are a constructor's arguments.

        `parameters` are the constructor's parameters' classes, the element's first. The elements of
        a Java list `beside` are its second arguments, an array of one each.
        """
        types = self.array("java.lang.Class", [self.load_class(name) for name in parameters])
        handles = self.java_class("java.lang.invoke.MethodHandles")
        constructor = self.load_class(class_name).getConstructor(types)
        handle = handles.publicLookup().unreflectConstructor(constructor)
        if beside is not None:
            handle = handle.asCollector(1, self.load_class(parameters[1]), 1)
            handle = self._zip_argument(handle, beside)
        handle = handles.insertArguments(handle, 1, self.array("java.lang.Object", rest))
        return java_list.stream().map(self._as_interface(_FUNCTION, handle)).toList()

    def copy_each(
        self, java_list: Any, copy: Step, setter: tuple[str, str], numbers: Sequence[int]
    ) -> Any:
        """Return a Java list of copies of the elements, each with its number set.

        `copy` makes one; `setter` is a class and its method of one int, which may be hidden.
        """
        taking = self._zip_argument(self._int_method(*setter), self._integers(numbers).toList())
        made = java_list.stream().map(self._function(_FUNCTION, (copy,)))
        return made.peek(self._as_interface("java.util.function.Consumer", taking)).toList()

    def call_with_each(self, java_list: Any, taker: Any, method: Step) -> None:
        """Call a method of an object with each element of a Java list."""
        handle = self._method(*method).bindTo(taker)
        java_list.stream().forEach(self._as_interface("java.util.function.Consumer", handle))

    def direct_executor(self) -> Any:
        """Return a Java executor that does its work in the thread that asks for it."""
        return self.java_class(f"{_GUAVA}.util.concurrent.MoreExecutors").newDirectExecutorService()

    def collector(self) -> tuple[Any, Any]:
        """Return a Java consumer, for any thread, and the queue of what it was given."""
        queue = self.java_class("java.util.concurrent.ConcurrentLinkedQueue")()
        add = self._method("java.util.Queue", "add", "java.lang.Object").bindTo(queue)
        return self._as_interface("java.util.function.Consumer", add), queue

    def instance(self, interface: str, *chain: Step) -> Any:
        """Return a chain as an instance of a Java interface of one method."""
        return self._function(interface, chain)

    def singleton(self, class_name: str) -> Any:
        """Return what a class's static `get()` without arguments gives."""
        key = f"{class_name}.get"
        if key not in self._classes:
            method = self.load_class(class_name).getMethod("get", self.array("java.lang.Class", ()))
            self._classes[key] = method.invoke(None, self.array("java.lang.Object", ()))
        return self._classes[key]

    def _opener(self, opening: Chain, rest: Sequence[Any], *then: Step) -> Any:
        """Return a function of a source: `opening`, given `rest` too, and what is done then."""
        if not rest:
            return self._function(_FUNCTION, (*opening, *then))
        handles = self.java_class("java.lang.invoke.MethodHandles")
        arguments = self.array("java.lang.Object", rest)
        handle = handles.insertArguments(self._handle((*opening, *then)), 1, arguments)
        return self._as_interface(_FUNCTION, handle)

    def _integers(self, numbers: Sequence[int]) -> Any:
        """Return a Java stream of numbers, sent as one text."""
        if not numbers:
            return self.java_class("java.util.stream.Stream").empty()
        text = self.java_class("java.util.regex.Pattern").compile(",")
        parts = text.splitAsStream(",".join(map(str, numbers)))
        return parts.map(self._function(_FUNCTION, (_PARSED,)))

    def _zip_argument(self, handle: Any, java_list: Any) -> Any:
        """Return a handle that takes its second argument from a list, the next with each call."""
        following = self._method("java.util.Iterator", "next").bindTo(java_list.iterator())
        kind = following.type().changeReturnType(handle.type().parameterType(1))
        handles = self.java_class("java.lang.invoke.MethodHandles")
        return handles.collectArguments(handle, 1, following.asType(kind))

    def _function(self, interface: str, chain: Chain) -> Any:
        key = (interface, chain)
        if key not in self._functions:
            self._functions[key] = self._as_interface(interface, self._handle(chain))
        return self._functions[key]

    def _handle(self, chain: Chain) -> Any:
        if chain not in self._handles:
            handle = self._method(*chain[0])
            for step in chain[1:]:
                handle = self._compose(handle, self._method(*step))
            self._handles[chain] = handle
        return self._handles[chain]

    def _string_test(self, wanted: Iterable[str], chain: Chain) -> Any:
        """Return a predicate: whether the chain gives a wanted string."""
        if chain not in self._tests:
            contains = self._method("java.util.Set", "contains", "java.lang.Object")
            handles, first = self.java_class("java.lang.invoke.MethodHandles"), self._handle(chain)
            kind = contains.type().changeParameterType(1, first.type().returnType())
            self._tests[chain] = handles.collectArguments(contains.asType(kind), 1, first)
        java_set = self.java_class("java.util.HashSet")(list(wanted))
        return self._as_interface(
            "java.util.function.Predicate", self._tests[chain].bindTo(java_set)
        )

    def _compose(self, first: Any, then: Any) -> Any:
        """Return both as one function: first's arguments, then the further ones of `then`."""
        kind = then.type().changeParameterType(0, first.type().returnType())
        handles = self.java_class("java.lang.invoke.MethodHandles")
        return handles.collectArguments(then.asType(kind), 0, first)

    def _as_interface(self, interface: str, handle: Any) -> Any:
        proxies = self.java_class("java.lang.invoke.MethodHandleProxies")
        return proxies.asInterfaceInstance(self.load_class(interface), handle)

    def _int_method(self, class_name: str, method_name: str) -> Any:
        """Return a method of one int, which may be hidden."""
        key = (class_name, method_name)
        if key not in self._int_methods:
            kinds = self.array("java.lang.Class", [self.java_class("java.lang.Integer").TYPE])
            method = self.load_class(class_name).getDeclaredMethod(method_name, kinds)
            if not self.java_class("java.lang.reflect.Modifier").isPublic(method.getModifiers()):
                method.setAccessible(True)
            lookup = self.java_class("java.lang.invoke.MethodHandles").publicLookup()
            self._int_methods[key] = lookup.unreflect(method)
        return self._int_methods[key]

    def _method(self, class_name: str, method_name: str, *parameters: str) -> Any:
        types = self.array("java.lang.Class", [self.load_class(name) for name in parameters])
        method = self.load_class(class_name).getMethod(method_name, types)
        return self.java_class("java.lang.invoke.MethodHandles").publicLookup().unreflect(method)
