"""Functions that run inside the JVM, built from Java methods by name.

A list of ten thousand files costs ten thousand calls if Python asks each file for its location, and
one call if the JVM does. `MethodHandleProxies` turns a chain of Java methods into a
`java.util.function.Function` without a compiler.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from icemelt.storage.java_streams import SHOWN

__all__ = ["JvmFunctions", "functions_of"]

_SEPARATOR = "\0"
_GUAVA = "org.apache.iceberg.relocated.com.google.common"
_LISTED = (
    f"{_GUAVA}.collect.Lists",
    "newArrayList",
    "java.lang.Iterable",
)
_STREAMED = ("java.util.Collection", "stream")
_COUNTED = ("java.util.Collection", "size")
_PARSED = ("java.lang.Integer", "valueOf", "java.lang.String")
_FUNCTION = "java.util.function.Function"
Step = tuple[str, ...]
Chain = tuple[Step, ...]


class _JavaClass:
    """A Java class with cached static members: py4j asks the JVM for a member every time."""

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
    """Builds and caches functions of the JVM.

    A chain is a sequence of steps. A step is a class, the name of a method, and the classes of the
    method's parameters: none, or one for a static method. A step is called on the result of the
    step before.
    """

    jvm: Any
    gateway: Any
    _handles: dict[Chain, Any] = field(default_factory=dict)
    _functions: dict[tuple[str, Chain], Any] = field(default_factory=dict)
    _classes: dict[str, Any] = field(default_factory=dict)
    _names: dict[str, Any] = field(default_factory=dict)
    _methods: dict[Step, Any] = field(default_factory=dict)
    _tests: dict[Chain, Any] = field(default_factory=dict)
    _int_methods: dict[tuple[str, str], Any] = field(default_factory=dict)
    _empty_arrays: dict[str, Any] = field(default_factory=dict)
    _joining: Any = None

    def java_class(self, class_name: str) -> Any:
        """Return a Java class, to call its static methods and constructors.

        py4j makes a call for each part of the name, so the class is cached.
        """
        if class_name not in self._names:
            found = self.jvm
            for part in class_name.split("."):
                found = getattr(found, part)
            self._names[class_name] = _JavaClass(found)
        return self._names[class_name]

    def load_class(self, name: str) -> Any:
        """Return a `java.lang.Class`; a missing class raises Java's error."""
        if name not in self._classes:
            loader = self.java_class("java.lang.Thread").currentThread().getContextClassLoader()
            initialize = True
            self._classes[name] = self.java_class("java.lang.Class").forName(
                name, initialize, loader
            )
        return self._classes[name]

    def array(self, class_name: str, elements: Sequence[Any]) -> Any:
        """Return a Java array with elements of a class."""
        if not elements:
            return self._empty_array(class_name)
        java_array = self.gateway.new_array(self.java_class(class_name), len(elements))
        for index, element in enumerate(elements):
            java_array[index] = element
        return java_array

    def to_list(self, java_iterable: Any) -> Any:
        """Return the elements of a Java iterable as a Java list."""
        lists = self.java_class(f"{_GUAVA}.collect.Lists")
        return lists.newArrayList(java_iterable)

    def elements(self, java_iterable: Any) -> list[Any]:
        """Return the elements of a Java iterable, by one call each.

        Python's loop over a Java iterator ends by an exception, which costs more than ten calls.
        """
        java_list = self.to_list(java_iterable)
        return [java_list.get(index) for index in range(java_list.size())]

    def strings(self, java_list: Any, *chain: Step) -> list[str]:
        """Return the strings given by a chain for the elements of a Java list."""
        function = self._function(_FUNCTION, chain)
        if self._joining is None:
            self._joining = self.java_class("java.util.stream.Collectors").joining(_SEPARATOR)
        text: str = java_list.stream().map(function).collect(self._joining)
        return [] if not text and java_list.isEmpty() else text.split(_SEPARATOR)

    def total(self, java_list: Any, *chain: Step) -> int:
        """Return the sum of the numbers given by a chain for the elements of a Java list."""
        function = self._function("java.util.function.ToLongFunction", chain)
        return int(java_list.stream().mapToLong(function).sum())

    def find_in_sources(
        self,
        sources: Any,
        opening: Chain,
        rest: Sequence[Any],
        wanted: Collection[str],
        *chain: Step,
    ) -> tuple[Any, int]:
        """Return elements for which a chain gives a wanted string, and the count of opened sources.

        Sources are opened one after the other until all strings are found.

        Args:
            sources: the sources, a Java list.
            opening: a chain that makes an iterable of a source.
            rest: the further arguments of the steps of `opening`.
            wanted: the strings to find, one element each.
            chain: the chain that gives the string of an element.
        """
        opened = self.java_class("java.util.ArrayList")()
        add = self._method("java.util.List", "add", "java.lang.Object").bindTo(opened)
        elements = sources.stream().peek(self._as_interface("java.util.function.Consumer", add))
        elements = elements.flatMap(self._opener(opening, rest, _LISTED, _STREAMED))
        found = elements.filter(self._string_test(wanted, chain)).limit(len(wanted)).toList()
        return found, opened.size()

    def map_each(self, java_list: Any, *chain: Step) -> Any:
        """Return a Java list of the results of a chain for the elements of a Java list."""
        return java_list.stream().map(self._function(_FUNCTION, chain)).toList()

    def pick(self, java_list: Any, indexes: Sequence[int]) -> Any:
        """Return a Java list of the elements at some indexes, in the order of the indexes."""
        get = self._int_method("java.util.List", "get").bindTo(java_list)
        kind = get.type().changeParameterType(0, self.load_class("java.lang.Integer"))
        return self._integers(indexes).map(self._as_interface(_FUNCTION, get.asType(kind))).toList()

    def flat_map(
        self, sources: Any, opening: Chain, rest: Sequence[Any] = ()
    ) -> tuple[Any, list[int]]:
        """Return the elements of several iterables in one Java list, and the number of each.

        Args:
            sources: the sources, a Java list.
            opening: a chain that makes an iterable of a source.
            rest: the further arguments of the steps of `opening`.
        """
        lists = sources.stream().map(self._opener(opening, rest, _LISTED)).toList()
        counts = self.strings(lists, _COUNTED, SHOWN)
        elements = lists.stream().flatMap(self._function(_FUNCTION, (_STREAMED,))).toList()
        return elements, [int(count) for count in counts]

    def build_each(self, java_list: Any, builder: Step, source: Any, building: Chain) -> Any:
        """Return a Java list of objects built by a builder, one for each element.

        Args:
            java_list: the elements.
            builder: a static method that makes a new builder of `source`.
            source: the argument of `builder`.
            building: the chain called on the builder. The element is the argument of its first
                step.
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
        """Return a Java list of new objects, one for each element.

        Args:
            java_list: the elements, the first arguments of the constructor.
            class_name: the class of the new objects.
            parameters: the classes of the constructor's parameters.
            rest: the further arguments.
            beside: a Java list of second arguments, passed as arrays of one element each.
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
        """Return a Java list of copies of the elements, with a number set in each copy.

        Args:
            java_list: the elements.
            copy: the method that copies an element.
            setter: a class and its method of one int, which may be hidden.
            numbers: the numbers to set.
        """
        taking = self._zip_argument(self._int_method(*setter), self._integers(numbers).toList())
        made = java_list.stream().map(self._function(_FUNCTION, (copy,)))
        return made.peek(self._as_interface("java.util.function.Consumer", taking)).toList()

    def call_with_each(self, java_list: Any, taker: Any, method: Step) -> None:
        """Call a method of `taker` with each element of a Java list.

        Args:
            java_list: the elements.
            taker: the object.
            method: the method.
        """
        handle = self._method(*method).bindTo(taker)
        java_list.stream().forEach(self._as_interface("java.util.function.Consumer", handle))

    def direct_executor(self) -> Any:
        """Return a Java executor running its tasks in the calling thread."""
        return self.java_class(f"{_GUAVA}.util.concurrent.MoreExecutors").newDirectExecutorService()

    def collector(self) -> tuple[Any, Any]:
        """Return a thread-safe Java consumer, and the queue of what it was given."""
        queue = self.java_class("java.util.concurrent.ConcurrentLinkedQueue")()
        add = self._method("java.util.Queue", "add", "java.lang.Object").bindTo(queue)
        return self._as_interface("java.util.function.Consumer", add), queue

    def instance(self, interface: str, *chain: Step) -> Any:
        """Return a chain as an instance of a Java interface with one method."""
        return self._function(interface, chain)

    def singleton(self, class_name: str) -> Any:
        """Return the result of a class's static method `get()` without arguments."""
        key = f"{class_name}.get"
        if key not in self._classes:
            method = self.load_class(class_name).getMethod("get", self.array("java.lang.Class", ()))
            self._classes[key] = method.invoke(None, self.array("java.lang.Object", ()))
        return self._classes[key]

    def _empty_array(self, class_name: str) -> Any:
        """Return the one empty Java array of a class: nobody can change an empty array."""
        if class_name not in self._empty_arrays:
            empty = self.gateway.new_array(self.java_class(class_name), 0)
            self._empty_arrays[class_name] = empty
        return self._empty_arrays[class_name]

    def _opener(self, opening: Chain, rest: Sequence[Any], *then: Step) -> Any:
        """Return a function of a source: `opening` with the arguments in `rest`, then `then`."""
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
        """Return a handle whose second argument is the next element of a list at every call."""
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
        """Return a predicate: a chain gives a string in `wanted`."""
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
        """Return `then` called on the result of `first`, with the further arguments of `then`."""
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
        step = (class_name, method_name, *parameters)
        if step not in self._methods:
            types = self.array("java.lang.Class", [self.load_class(name) for name in parameters])
            method = self.load_class(class_name).getMethod(method_name, types)
            lookup = self.java_class("java.lang.invoke.MethodHandles").publicLookup()
            self._methods[step] = lookup.unreflect(method)
        return self._methods[step]


@lru_cache(1)
def functions_of(gateway: Any) -> JvmFunctions:
    """Return the functions of a JVM, the same for all its sessions: each costs some calls to find.

    Args:
        gateway: py4j's gateway to the JVM.
    """
    return JvmFunctions(gateway.jvm, gateway)
