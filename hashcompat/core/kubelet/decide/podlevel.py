"""Resources of a whole pod, and the feature gates that they need."""

from __future__ import annotations

from typing import Final

POD_RESOURCES_GATE: Final = "PodLevelResources"

POD_RESIZE_GATE: Final = "InPlacePodLevelResourcesVerticalScaling"
