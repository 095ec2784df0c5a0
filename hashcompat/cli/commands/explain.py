"""``hashcompat explain``: why, down to the field, the Go type and the upstream change."""

from __future__ import annotations

from dataclasses import replace

import click

from hashcompat.answers.comparison import compare_releases
from hashcompat.answers.explanation import explain
from hashcompat.cli.args import options
from hashcompat.errors import UsageError
from hashcompat.model.plan import Way
from hashcompat.planning.view import View
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
@options.knowledge_options
@options.patch_options
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
    way = Way(from_release, to_release)
    inventory = options.collect(given)
    choices = replace(options.choices(given, catalog, inventory), patch=options.assumed_patch(given))
    explanations = explain(
        inventory, target, way, View(catalog, choices), show_values=bool(given["show_values"])
    )
    output.show(
        lambda: explanation_document(explanations.items),
        lambda _: f"\n\n{'-' * 72}\n\n".join(
            explanation_text(explanation, output.paint) for explanation in explanations.items
        ),
    )
