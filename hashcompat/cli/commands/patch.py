"""``hashcompat patch``: a patch for the kubelet's source after which it does not recreate what did not change."""

from __future__ import annotations

from pathlib import Path

import click

from hashcompat.catalog.lookup import Catalog, Kubelet
from hashcompat.catalog.releases import is_of_minor
from hashcompat.cli.args import options
from hashcompat.cli.output import STDOUT, note, write_whole
from hashcompat.errors import ExitCode, InputError, UsageError
from hashcompat.kubelet import alike
from hashcompat.patching.audit import audit
from hashcompat.patching.model import MisplacedError, Patch, apply
from hashcompat.patching.strategies import BY_NAME, Choices, make_patch
from hashcompat.patching.stripping import check_strip
from hashcompat.patching.unified import mail
from hashcompat.planning.options import Options
from hashcompat.planning.view import View
from hashcompat.report.audit import audit_document, audit_names, audit_notes, audit_table
from hashcompat.report.patch import in_words
from hashcompat.sources.upstream import kubernetes


@click.command(
    "patch", short_help="Make a patch for the kubelet that accepts or keeps another release's hashes."
)
@click.option("--kubelet", metavar="RELEASE", help="The kubelet release that is patched.")
@click.option(
    "--like", metavar="RELEASE[,RELEASE...]", help="The releases whose hashes it is to take for its own."
)
@click.option(
    "--strategy",
    type=click.Choice(list(BY_NAME)),
    default="accept",
    show_default=True,
    help="accept: the new hash or an old one; pin: hash as the old release does; strip: cut new fields out of the text.",
)
@click.option("--tree", metavar="DIR", help="The root of the Kubernetes source tree at that tag.")
@click.option(
    "--source-url",
    metavar="URL",
    default=kubernetes.SOURCE_URL,
    help="Where source files are downloaded; {tag} and {path} are filled in.",
)
@click.option(
    "--accept-new-fields",
    is_flag=True,
    help="Let an old hash count although fields unknown to the old release are set.",
)
@click.option("--until", metavar="RELEASE", default="", help="The last release that accepts old hashes.")
@click.option(
    "--article", is_flag=True, help="Strip in DeepHashObject, and so in every hash that is made there."
)
@click.option("--force", is_flag=True, help="Pin although every in-place resize will restart the container.")
@click.option(
    "--audit",
    is_flag=True,
    help="List the pods whose containers --strategy strip would not hash as the old release does.",
)
@options.source_options
@options.schemas_option
@options.output_options
def command(**given: options.Given) -> int:
    """Print a patch, as git format-patch does, against the Kubernetes source at the release's tag.

    The few files that it changes are read from --tree, or downloaded and kept in the user's cache. With
    --audit and pods, say which of them stripping fails on; exit 2 when there are any. --out takes the patch,
    or the audit's document.
    """
    catalog = options.catalog(given)
    kubelet, like = _releases(given)
    if given["audit"]:
        return _audit(given, kubelet, like, catalog)
    choices = Choices(
        bool(given["accept_new_fields"]),
        str(given["until"]),
        bool(given["article"]),
        force=bool(given["force"]),
    )
    patch = make_patch(kubelet, like, str(given["strategy"]), catalog, choices)
    if patch is None:
        note(alike.no_patch_needed(kubelet, like))
        return ExitCode.OK
    files = _files(patch, catalog.kubelet(kubelet), given)
    _write(mail(patch, apply(patch, {file.path: file.text for file in files})), str(given["out"] or ""))
    return ExitCode.OK


def _releases(given: options.Given) -> tuple[str, list[str]]:
    for name in ("kubelet", "like"):
        if not given[name]:
            raise UsageError(f"--{name} is missing; such as: hashcompat patch --kubelet 1.9.11 --like 1.7.16")
    return str(given["kubelet"]), [name.strip() for name in str(given["like"]).split(",")]


def _audit(given: options.Given, kubelet: str, like: list[str], catalog: Catalog) -> int:
    new, olds = catalog.kubelet(kubelet), [catalog.kubelet(name) for name in like]
    check_strip(new, olds)
    result = audit(options.collect(given), olds[0], new, View(catalog, Options(not given["no_defaults"])))
    output = options.output(given)
    output.show(
        lambda: audit_document(result),
        lambda form: (
            audit_names(result) if form == "name" else audit_table(result, headers=not output.no_headers)
        ),
    )
    for line in audit_notes(result):
        note(line)
    return ExitCode.FINDING if result.rows else ExitCode.OK


def _files(patch: Patch, kubelet: Kubelet, given: options.Given) -> list[kubernetes.SourceFile]:
    paths = [edit.path for edit in patch.edits]
    if given["tree"]:
        tree = Path(str(given["tree"]))
        _check_tree(tree, kubelet)
        return kubernetes.from_tree(tree, paths)
    try:
        files = kubernetes.from_url(str(given["source_url"]), kubelet.release, paths)
    except InputError as error:
        click.echo(in_words(patch))
        raise InputError(
            f"{error}; printed are the new files and the edits in words; a patch needs the source: --tree DIR"
        ) from None
    for file in files:
        note(f"{file.sha256}  {file.origin}")
    return files


def _check_tree(tree: Path, kubelet: Kubelet) -> None:
    """Refuse a tree of another minor, which its changelogs tell."""
    minor = kubernetes.tree_minor(tree)
    if minor is not None and not is_of_minor(kubelet.release, minor):
        raise MisplacedError(
            f"{tree}: a source tree of Kubernetes 1.{minor} by its changelogs, not of v{kubelet.release.upstream}"
        )


def _write(text: str, out: str) -> None:
    if out not in ("", STDOUT):
        write_whole(Path(out), text)
        note(f"Wrote {out}; apply it with: git am {out}")
    else:
        click.echo(text, nl=False)
