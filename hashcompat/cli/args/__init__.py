"""The groups of options that commands share, each with what its values mean.

What is here makes options of the fields of a class. ``source`` says where pods come from and which count,
``inventory`` reads them; ``facts`` has what else is known, and makes a plan of all that, for ``plan`` and for
``gate``. ``common`` is what nearly every command takes, ``gate`` what that one takes alone.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Annotated, Any, Final, NoReturn, TypeVar, dataclass_transform, get_origin, get_type_hints

import click
import msgspec
from click.core import ParameterSource

from hashcompat.cli import progress
from hashcompat.cli.completion import BY_METAVAR
from hashcompat.core.errors import UsageError
from hashcompat.core.shown import urls

# Options as fields of frozen classes, one per group: declared once, and typed where they are used.
#
# A group is a class (:func:`group`) with a ``HEADING`` for ``--help``; its fields are made by
# :func:`option`. The arguments of a command are such a class too, whose fields are options of its own, and
# groups. Click parses, and a command gets one value.

_OPTIONS: Final = "Options"
"""The heading of what belongs to no group."""
Arguments = TypeVar("Arguments")
Group = TypeVar("Group")


def option(*flags: str, default: Any = None, **settings: Any) -> Any:
    """Declare a field as an option; ``settings`` are those of ``click.option``.

    An empty value is a UsageError, unless it is ``may_be_empty``: it is mostly a variable that is not set.
    """
    if settings.get("multiple"):
        default = ()
    return _Declared(flags, {"default": default, **settings})


def flag(*flags: str, **settings: Any) -> Any:
    """Declare a field as an option without a value, which is true where it is given."""
    return option(*flags, default=False, is_flag=True, **settings)


def argument(**settings: Any) -> Any:
    """Declare a field as a positional argument; ``settings`` are those of ``click.argument``."""
    if not settings.get("required"):  # a default, even None, would satisfy click
        settings["default"] = None
    return _Declared((), settings)


class Whole(click.IntRange):
    """A whole number between two, which the error calls so: click's own says "a valid integer range"."""

    name = "whole number"


@dataclass_transform(kw_only_default=True, frozen_default=True)
def group(made: type[Group]) -> type[Group]:
    """Let a class with options take their values by name; ``__post_init__`` checks them, and none changes.

    A dataclass is the same, but its methods are written and compiled at every start.
    """
    declared: dict[str, _Declared | None] = {name: vars(made).get(name) for name in _names(made)}

    def take(self: Group, **values: Any) -> None:
        for name, field in declared.items():
            value = values.pop(name) if field is None or name in values else field.settings.get("default")
            object.__setattr__(self, name, value)
        if values:
            raise TypeError(f"{made.__name__} has no {', '.join(values)}")
        if check := getattr(self, "__post_init__", None):
            check()

    made.declared_fields = _declared(made)  # type: ignore[attr-defined]  # asked for several times
    made.__init__ = take  # type: ignore[assignment]  # its signature is that of the fields
    made.__setattr__ = _refuse  # type: ignore[method-assign]
    return made


def _names(made: type) -> list[str]:
    return [name for name, hint in made.__annotations__.items() if not str(hint).startswith("ClassVar")]


def _refuse(_self: object, name: str, _value: object) -> NoReturn:
    raise AttributeError(f"{name} does not change")


def changed(group: Group, **values: Any) -> Group:
    """Return a group with other values of some fields."""
    return type(group)(**{name: getattr(group, name) for name in _names(type(group))} | values)


class Changed(msgspec.Struct, frozen=True):
    """Settings of an option that differ where its group is used: ``Annotated[Group, Changed(...)]``."""

    name: str
    """The option's field."""
    settings: Mapping[str, Any]


class _Declared(msgspec.Struct, frozen=True):
    flags: tuple[str, ...]
    """Empty for a positional argument."""
    settings: Mapping[str, Any]


class _Field(msgspec.Struct, frozen=True):
    name: str
    option: _Declared | None
    group: type | None
    changed: tuple[Changed, ...] = ()


class _Option(click.Option):
    """An option that knows under which heading ``--help`` shows it."""

    heading = _OPTIONS

    def __init__(self, *declarations: Any, may_be_empty: bool = False, **settings: Any) -> None:
        super().__init__(*declarations, **settings)
        self._may_be_empty = may_be_empty

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the value as its type has it; raises UsageError for an empty one."""
        if _is_empty(value) and not self._may_be_empty:
            raise _empty_value(self.opts[0], self.metavar or "", ", or leave the option out")
        return super().type_cast_value(ctx, value)


class _Argument(click.Argument):
    """A positional argument."""

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the value as its type has it; raises UsageError for an empty one."""
        if _is_empty(value):
            name = (self.metavar or "").strip("[]")
            raise _empty_value(name, name, ", or leave it out" if not self.required else "")
        return super().type_cast_value(ctx, value)


def _is_empty(value: Any) -> bool:
    return value == "" or (isinstance(value, list | tuple) and "" in value)


_NAMED: Final[Mapping[str, str]] = {
    "FILE": "name a file",
    "DIR": "name a directory",
    "NODE": "name a node",
    "NAMESPACE": "name a namespace",
    "RELEASE": "name a release",
}
"""What to do where a value is empty, by the first word of what ``--help`` calls it."""


def _empty_value(name: str, metavar: str, instead: str) -> UsageError:
    """Return the error of the empty value of what ``--help`` calls so; ``instead`` is what else to do."""
    word = re.match(r"([A-Z]+)(?:[|[]|$)", metavar)
    wanted = _NAMED.get(word[1] if word else "", "give one")
    return UsageError(f"{name}: the value is empty; {wanted}{instead}")


_EXTRA: Final = "unexpected extra argument"
"""What click says of words that no parameter takes."""


class Command(click.Command):
    """A command whose ``--help`` shows options in groups, and whose options have one value each."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the arguments; raises UsageError for a second value of an option that takes one."""
        words = list(args)  # click takes words out of the list
        try:
            rest = super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx  # click's parser leaves out whose --help has the option
            if _EXTRA in error.message and any("-f" in parameter.opts for parameter in self.params):
                # as after -f *.json
                raise click.UsageError(f"{error.message}; each file takes an -f of its own", ctx) from None
            raise
        if not ctx.resilient_parsing:
            _, _, order = self.make_parser(ctx).parse_args(words)
            for parameter, times in Counter(order).items():
                if (
                    times > 1
                    and isinstance(parameter, _Option)
                    and not (parameter.multiple or parameter.is_flag)
                ):
                    often = "twice" if times == 2 else f"{times} times"
                    raise UsageError(f"{parameter.opts[0]} is given {often}; give it once")
        return rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under the headings of their groups, those of the command itself first."""
        groups: dict[str, list[tuple[str, str]]] = {_OPTIONS: []}
        for parameter in self.get_params(ctx):
            if record := parameter.get_help_record(ctx):
                groups.setdefault(getattr(parameter, "heading", _OPTIONS), []).append(record)
        for heading, records in groups.items():
            with formatter.section(heading):
                formatter.write_dl(records)


class WithParts(Command, click.Group):
    """A command that does something by itself, and has others below it."""

    parts: Mapping[str, click.Command]

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Name them in their order."""
        return list(self.parts)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        """Return one of them."""
        return self.parts.get(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command below it that is meant; raises UsageError, naming those that there are."""
        if args[0] not in self.parts and not args[0].startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(f"No such command {args[0]!r}; there are {', '.join(self.parts)}.", ctx)
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, and the commands below."""
        Command.format_options(self, ctx, formatter)
        self.format_commands(ctx, formatter)


class WithArguments(WithParts):
    """One whose first word is the name of a command below it, or else a positional argument of its own."""

    allow_interspersed_args = True

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Return the context of the command that is meant."""
        if args and args[0] in self.parts:
            return self.parts[args[0]].make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


def with_parts(
    made: click.Command,
    parts: Mapping[str, click.Command],
    kind: type[WithParts] = WithParts,
    metavar: str = "[COMMAND FILE]",
) -> click.Command:
    """Return a command with others below it; its options do not go with these."""

    def callback(**values: Any) -> Any:
        context = click.get_current_context()
        if not context.invoked_subcommand:
            return made.callback(**values) if made.callback else None
        for parameter in made.params:
            if context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE:
                raise UsageError(f"{parameter.opts[0]} does not go with {context.invoked_subcommand}")
        return None

    parent = kind(
        made.name,
        callback=callback,
        params=made.params,
        help=made.help,
        short_help=made.short_help,
        invoke_without_command=True,
        subcommand_metavar=metavar,
    )
    parent.parts = parts
    return parent


def command(
    name: str, arguments: type[Arguments], *, short_help: str
) -> Callable[[Callable[[Arguments], int | None]], click.Command]:
    """Make a command of a function of its arguments; the function's docstring is the help text."""

    def make(function: Callable[[Arguments], int | None]) -> click.Command:
        def callback(**values: Any) -> int | None:
            _check_files(parameters, values)
            with progress.shown(name, quiet=bool(values.get("quiet"))):
                return function(_built(arguments, values))

        parameters = list(_parameters(arguments, _OPTIONS, ()))
        return Command(
            name, callback=callback, params=parameters, help=function.__doc__, short_help=short_help
        )

    return make


_READ: Final = re.compile(r"\W*(FILE|DIR|SOURCE|PATH)\b")
"""How ``--help`` calls what is read, and ``--out``."""


def _check_files(parameters: Iterable[click.Parameter], values: Mapping[str, Any]) -> None:
    """Raise UsageError where a result would replace what is read, and for standard input read twice."""
    read = [
        (parameter.opts[0] if isinstance(parameter, click.Option) else "", name)
        for parameter in parameters
        if parameter.name != "out"
        and _READ.match(parameter.metavar or "")
        and (value := values[str(parameter.name)])
        for name in ((value,) if isinstance(value, str) else value)
    ]
    piped = dict.fromkeys(flag for flag, name in read if flag and name == "-")
    if len(piped) > 1:
        raise UsageError(f"{' and '.join(piped)}: standard input can be only one of them")
    out, reports = values.get("out"), values.get("reports") or ()
    if not (out or reports):
        return
    from hashcompat.cli.output import check_kept, places

    check_kept(places(out, reports), read, recursive=bool(values.get("recursive")))


def _parameters(made: type, heading: str, changed: Sequence[Changed]) -> Iterator[click.Parameter]:
    heading = getattr(made, "HEADING", heading)
    for field in _fields(made):
        if field.group:
            yield from _parameters(field.group, heading, field.changed)
        elif field.option:
            overrides = next((change.settings for change in changed if change.name == field.name), {})
            settings = {**field.option.settings, **overrides}
            settings["shell_complete"] = BY_METAVAR.get(settings.get("metavar", ""))
            if field.option.flags:
                parameter = _Option([*field.option.flags, field.name], **settings)
                parameter.heading = heading
                yield parameter
            else:
                yield _Argument([field.name], **settings)


def _declared(made: type) -> tuple[_Field, ...]:
    """Return the fields of a class: options, and groups, whose types alone have to be known."""
    groups = {name: made.__annotations__[name] for name in _names(made) if name not in vars(made)}
    module = vars(sys.modules[made.__module__])
    types = get_type_hints(SimpleNamespace(__annotations__=groups), module, include_extras=True)
    fields = []
    for name in _names(made):
        if name not in types:
            fields.append(_Field(name, vars(made)[name], None))
            continue
        hint = types[name]
        parts = hint.__metadata__ if get_origin(hint) is Annotated else ()
        # an annotation may have several changes at once
        changes = tuple(change for part in parts for change in (part if isinstance(part, tuple) else (part,)))
        fields.append(_Field(name, None, hint.__origin__ if changes else hint, changes))
    return tuple(fields)


def _fields(made: Any) -> tuple[_Field, ...]:
    fields: tuple[_Field, ...] = made.declared_fields
    return fields


def values_of(group: Any) -> dict[str, Any]:
    """Return the values of a group's options by the names of the fields."""
    return {field.name: getattr(group, field.name) for field in _fields(type(group))}


def given_flags(group: Any) -> Iterator[str]:
    """Yield the options of a group, and of those in it, that have another value than their default."""
    return (flag for flag, _ in _given_options(group))


def given_words(group: Any) -> Iterator[str]:
    """Yield the words by which a command line gives a group, and those in it, their values."""
    for flag, value in _given_options(group):
        yield from _words(flag, value)


def _words(flag: str, value: Any) -> Iterator[str]:
    if value is True:
        yield flag
    else:
        for word in dict.fromkeys(value) if isinstance(value, tuple) else (value,):  # twice is once
            yield from (flag, str(word))


_OUTPUT: Final = "Output"
"""The heading of the options that decide what is shown of a result."""
_ALSO_OUTPUT: Final = frozenset(
    {"--only-restarts", "--detailed-exitcode", "--details", "--sign-key", "--jobs", "--full", "--show-values"}
)
"""Options under other headings that change nothing of a verdict."""


def command_line(arguments: Any) -> str:
    """Return the command line that makes the same result again, without how it is shown.

    URLs in it are without user, password and query. It is the same for equal results in several formats.
    """
    context = click.get_current_context()
    positional = [
        str(word)
        for field in _fields(type(arguments))
        if field.option and not field.option.flags and (value := getattr(arguments, field.name))
        for word in (value if isinstance(value, tuple) else (value,))
    ]
    deciding = (
        word
        for flag, value in _given_options(arguments, _OUTPUT)
        if flag not in _ALSO_OUTPUT
        for word in _words(flag, value)
    )
    # the same name as a plugin of kubectl: equal results are equal files
    names = context.command_path.removeprefix(context.find_root().info_name or "").split()
    return shlex.join(["hashcompat", *names, *map(urls, (*positional, *deciding))])


def _given_options(group: Any, without: str | None = None) -> Iterator[tuple[str, Any]]:
    """Yield the options that differ from their defaults, with their values.

    Those of the groups in it too, but of groups with the heading ``without``.
    """
    for field in _fields(type(group)):
        value = getattr(group, field.name)
        if field.group:
            yield from (
                _given_options(value, without) if getattr(field.group, "HEADING", "") != without else ()
            )
        elif field.option and field.option.flags and value != field.option.settings["default"]:
            yield field.option.flags[0], value


def _built(made: type[Arguments], values: Mapping[str, Any]) -> Arguments:
    """Return the class with click's values in it."""
    arguments = {
        field.name: _built(field.group, values) if field.group else values[field.name]
        for field in _fields(made)
    }
    return made(**arguments)
