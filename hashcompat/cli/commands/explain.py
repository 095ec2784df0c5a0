"""``hashcompat explain``: why, down to the field, the Go type and the upstream change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from itertools import repeat

import click

from hashcompat.answers.comparison import compare_releases
from hashcompat.answers.explanation import explain
from hashcompat.catalog.lookup import Catalog
from hashcompat.cli.args import options
from hashcompat.errors import InputError, UsageError
from hashcompat.model.plan import Item
from hashcompat.model.pods import Container, Inventory, Pod
from hashcompat.planning.options import AUTO, Options
from hashcompat.planning.planner import make_plan
from hashcompat.report.explanation import (
    difference_document,
    difference_text,
    explanation_document,
    explanation_text,
)


@click.command(
    "explain", short_help="Say why a container's hash changes, or what differs between two releases."
)
@click.argument("target", required=False, metavar="[NAMESPACE/POD[/CONTAINER]]")
@options.release_options
@options.source_options
@click.option("--show-values", is_flag=True, help="Print values of env, args and commands instead of ***.")
@options.schemas_option
@options.output_options
def command(target: str | None, **given: options.Given) -> None:
    """Explain one container: the fields that make the difference, both hashed texts, the upstream change, the log line to expect.

    Without a pod: what differs between the two releases for any container.
    """
    catalog = options.catalog(given)
    from_release, to_release = options.releases(given)
    output = options.output(given)
    if target is None:
        if options.has_source(given):
            raise UsageError("say which pod to explain: NAMESPACE/POD or NAMESPACE/POD/CONTAINER")
        difference = compare_releases(from_release, to_release, catalog)
        output.show(lambda: difference_document(difference), lambda _: difference_text(difference))
        return
    if from_release != AUTO:
        catalog.kubelet(from_release)
    choices = Options(not given["no_defaults"])
    found = list(_found(options.collect(given), (from_release, to_release), target, catalog, choices))
    if undecided := next((item for _, _, item in found if not catalog.knows(item.from_release)), None):
        raise InputError(f"{target}: {undecided.reasons[0].text}")
    explanations = [
        explain(*row, to_release, catalog, choices, show_values=bool(given["show_values"])) for row in found
    ]
    output.show(
        lambda: explanation_document(explanations),
        lambda _: f"\n\n{'-' * 72}\n\n".join(
            explanation_text(explanation, output.paint) for explanation in explanations
        ),
    )


def _found(
    inventory: Inventory, way: tuple[str, str], target: str, catalog: Catalog, choices: Options
) -> Iterator[tuple[Pod, Container, Item]]:
    """Yield the containers that NAMESPACE/POD[/CONTAINER] names, each with its item; of a name that several objects bear, all."""
    namespace, _, rest = target.partition("/")
    name, _, wanted = rest.partition("/")
    if not namespace or not name:
        raise UsageError(f"{target!r} is not NAMESPACE/POD or NAMESPACE/POD/CONTAINER")
    pods = [pod for pod in inventory.pods if (pod.namespace, pod.name) == (namespace, name)]
    pods.sort(key=lambda pod: (not pod.node, pod.node))
    if not any(wanted in ("", container.name) for pod in pods for container in pod.containers):
        known = [container.name for pod in pods for container in pod.containers]
        raise _not_found(target, wanted, known, (f"{pod.namespace}/{pod.name}" for pod in inventory.pods))
    for pod in pods:
        items = make_plan(replace(inventory, pods=(pod,)), *way, catalog, choices).items
        yield from (
            row
            for row in zip(repeat(pod), pod.containers, items, strict=False)
            if wanted in ("", row[1].name)
        )


def _not_found(target: str, container: str, containers: list[str], pods: Iterable[str]) -> InputError:
    known = containers or list(dict.fromkeys(pods))
    near = get_close_matches(container or target, dict.fromkeys(known), n=3, cutoff=0.3) or known[:3]
    return InputError(
        f"no {'container' if containers else 'pod'} {target} in the input; near it: {', '.join(dict.fromkeys(near))}"
    )
