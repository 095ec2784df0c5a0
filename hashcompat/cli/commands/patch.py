"""``hashcompat patch``: a patch after which a kubelet does not recreate what did not change."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import click
from click.core import ParameterSource

from hashcompat.analysis.answers.comparison import resize_restarts, static_restarts
from hashcompat.analysis.patching import MisplacedError, Patch, apply, mail
from hashcompat.analysis.patching.strategies import BY_NAME, Choices, make_patch
from hashcompat.analysis.patching.strip import audit, check_strip
from hashcompat.analysis.planning.options import Options
from hashcompat.analysis.planning.view import View
from hashcompat.cli import output
from hashcompat.cli.args import command as declared
from hashcompat.cli.args import flag, given_flags, group, option
from hashcompat.cli.args.common import OutputOptions, Quiet, ReleaseData, ReleaseNames, shows
from hashcompat.cli.args.inventory import InventoryRequest
from hashcompat.cli.args.source import ScopeOptions, SourceOptions
from hashcompat.cli.output import STDOUT
from hashcompat.core.catalog.lookup import Kubelet
from hashcompat.core.catalog.releases import is_of_minor
from hashcompat.core.errors import ExitCode, InputError, UsageError
from hashcompat.core.kubelet import alike
from hashcompat.output.report.verification import AUDIT, PATCH, in_words
from hashcompat.sources import upstream


@group
class Arguments:
    """What ``patch`` is asked."""

    kubelet: str | None = option("--kubelet", metavar="RELEASE", help="The kubelet release to patch.")
    like: str | None = option(
        "--like", metavar="RELEASE[,RELEASE...]", help="The releases whose hashes to accept."
    )
    strategy: str = option(
        "--strategy",
        type=click.Choice(list(BY_NAME)),
        default="accept",
        show_default=True,
        help="accept: the new hash or an old one; pin: hash as the old release does; strip: cut new fields "
        "out of the text.",
    )
    tree: str | None = option(
        "--tree", metavar="DIR", help="The root of a Kubernetes source tree, checked out at that tag."
    )
    source_url: str = option(
        "--source-url",
        metavar="URL",
        default=upstream.SOURCE_URL,
        help="URL to download source files from; {tag} and {path} are filled in.",
    )
    accept_new_fields: bool = flag(
        "--accept-new-fields",
        help="Accept an old hash even if fields are set that the old release does not know.",
    )
    until: str | None = option("--until", metavar="RELEASE", help="The last release that accepts old hashes.")
    article: bool = flag(
        "--article", help="Strip in DeepHashObject, which affects every hash computed there."
    )
    force: bool = flag("--force", help="Pin even though every in-place resize will restart the container.")
    audit: bool = flag(
        "--audit",
        help="List pods with containers for which --strategy strip does not reproduce the old "
        "release's hash.",
    )
    data: ReleaseData
    source: SourceOptions
    scope: ScopeOptions
    shown: Annotated[OutputOptions, shows(PATCH, AUDIT)]
    quiet: Quiet


_OF_PATCHES: Final = ("--tree", "--source-url", "--accept-new-fields", "--until", "--article", "--force")


@declared(
    "patch", Arguments, short_help="Print a kubelet patch that accepts or keeps another release's hashes."
)
def command(arguments: Arguments) -> int:
    """Print a patch in git format-patch form against the Kubernetes source at the release's tag.

    The few files that it changes are read from --tree, or downloaded and cached for the user. With --audit,
    list the pods for which stripping fails; exit 2 if there are any. --out saves the patch, or the audit as
    JSON.
    """
    is_given = click.get_current_context().get_parameter_source("strategy") is ParameterSource.COMMANDLINE
    if arguments.audit and is_given and arguments.strategy != "strip":
        raise UsageError(
            f"--audit finds what --strategy strip gets wrong, and {arguments.strategy} gets nothing wrong: "
            "leave one of them out"
        )
    if arguments.tree and arguments.source_url != upstream.SOURCE_URL:
        raise UsageError("--tree and --source-url are two sources of the files to patch; give one of them")
    if arguments.audit:
        for name in given_flags(arguments):
            if name in _OF_PATCHES:
                raise UsageError(f"{name} is for a patch, and --audit makes none: leave one of them out")
    else:
        for name in (*given_flags(arguments.source), *given_flags(arguments.scope)):
            raise UsageError(f"{name} goes with --audit: a patch is made without pods")
        if arguments.force and arguments.strategy != "pin":
            raise UsageError("--force: only --strategy pin is refused where resizes restart containers")
    output.ready(AUDIT if arguments.audit else PATCH, arguments.shown)
    names = arguments.data.names(quiet=arguments.quiet.quiet)
    for name, value in (("kubelet", arguments.kubelet), ("like", arguments.like)):
        if not value:
            raise UsageError(f"--{name} is missing; such as: hashcompat patch --kubelet 1.9.11 --like 1.7.16")
    kubelet, like = names.read(str(arguments.kubelet), "--kubelet"), names.listed(arguments.like, "--like")
    return (_audit if arguments.audit else _patch)(arguments, kubelet, like, names)


def _patch(arguments: Arguments, kubelet: str, like: list[str], names: ReleaseNames) -> int:
    catalog, until = names.catalog, names.read_known(arguments.until or "", "--until")
    choices = Choices(arguments.accept_new_fields, until, arguments.article, force=arguments.force)
    patch = make_patch(kubelet, like, arguments.strategy, catalog, choices)
    static = [static_restarts(old, catalog.kubelet(kubelet)) for old in map(catalog.kubelet, like)]
    resized = [resize_restarts(old, catalog.kubelet(kubelet)) for old in map(catalog.kubelet, like)]
    if patch is None:
        names.say(" ".join(filter(None, (alike.no_patch_needed(kubelet, like), *static, *resized))))
        return ExitCode.OK
    files = _files(patch, catalog.kubelet(kubelet), arguments, names)
    output.show(PATCH, mail(patch, apply(patch, {file.path: file.text for file in files})), arguments.shown)
    for text in filter(None, static):
        names.say(f"The patch changes no UID. {text}")
    for text in filter(None, resized):
        names.say(f"The patch changes no resize. {text}")
    if (out := arguments.shown.out) not in (None, STDOUT):
        names.say(f"Wrote {out}; apply it with: git am {out}")
    return ExitCode.OK


def _audit(arguments: Arguments, kubelet: str, like: list[str], names: ReleaseNames) -> int:
    catalog = names.catalog
    new, olds = catalog.kubelet(kubelet), [catalog.kubelet(name) for name in like]
    check_strip(new, olds)
    view = View(catalog, Options(not arguments.source.no_defaults))
    reading = InventoryRequest(arguments.source, arguments.scope, quiet=arguments.quiet.quiet)
    result = audit(reading.inventory(), olds[0], new, view)
    output.show(AUDIT, result, arguments.shown)
    output.notes(AUDIT, result, quiet=arguments.quiet.quiet)
    return output.exit_code(findings=result.items)


def _files(
    patch: Patch, kubelet: Kubelet, arguments: Arguments, names: ReleaseNames
) -> list[upstream.SourceFile]:
    paths = [edit.path for edit in patch.edits]
    if arguments.tree:
        tree = Path(arguments.tree)
        # refuse a tree of another minor, as its changelogs show
        minor = upstream.tree_minor(tree)
        if minor is not None and not is_of_minor(kubelet.release, minor):
            raise MisplacedError(
                f"{tree}: a source tree of Kubernetes 1.{minor} by its changelogs, "
                f"not of v{kubelet.release.upstream}"
            )
        return upstream.from_tree(tree, paths)
    try:
        files = upstream.from_url(arguments.source_url, kubelet.release, paths)
    except InputError as error:
        output.write([f"{in_words(patch)}\n"])
        raise InputError(
            f"{error}; printed are the new files and the edits in words; a patch needs the source: --tree DIR"
        ) from None
    for file in files:
        names.say(f"{file.sha256}  {file.origin}")
    return files
