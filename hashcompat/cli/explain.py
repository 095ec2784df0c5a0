"""``hashcompat explain``: why, down to the field, the Go type and the upstream change."""

from __future__ import annotations

from difflib import get_close_matches

import click

from hashcompat.cases import Options
from hashcompat.cli import options
from hashcompat.errors import InputError, UsageError
from hashcompat.explain import compare_releases, explain
from hashcompat.model import Item, Plan
from hashcompat.render.explanation import difference_document, difference_text, explanation_document, explanation_text
from hashcompat.verdicts import AUTO, make_plan


@click.command("explain", short_help="Say why a container's hash changes, or what differs between two releases.")
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
    items = _find(make_plan(options.collect(given), from_release, to_release, catalog, choices), target)
    if undecided := next((item for item in items if not catalog.knows(item.from_release)), None):
        raise InputError(f"{target}: {undecided.reasons[0].text}")
    explanations = [explain(item, to_release, catalog, choices, show_values=bool(given["show_values"])) for item in items]
    output.show(
        lambda: explanation_document(explanations),
        lambda _: f"\n\n{'-' * 72}\n\n".join(explanation_text(explanation, output.paint) for explanation in explanations),
    )


def _find(plan: Plan, target: str) -> list[Item]:
    """Return the items that NAMESPACE/POD[/CONTAINER] names; of a name that several objects bear, all."""
    namespace, _, rest = target.partition("/")
    pod, _, container = rest.partition("/")
    if not namespace or not pod:
        raise UsageError(f"{target!r} is not NAMESPACE/POD or NAMESPACE/POD/CONTAINER")
    in_pod = [item for item in plan.items if (item.pod.namespace, item.pod.name) == (namespace, pod)]
    found = [item for item in in_pod if container in ("", item.container.name)]
    if found:
        return found
    known = [item.container.name for item in in_pod] or [f"{item.pod.namespace}/{item.pod.name}" for item in plan.items]
    near = get_close_matches(container or target, dict.fromkeys(known), n=3, cutoff=0.3) or known[:3]
    raise InputError(f"no {'container' if in_pod else 'pod'} {target} in the input; near it: {', '.join(dict.fromkeys(near))}")
