"""What all tests share: the catalog that ships, and a hypothesis profile that is the same everywhere."""

from __future__ import annotations

import pytest
from hypothesis import settings

from hashcompat.catalog.lookup import Catalog, default_catalog

settings.register_profile("hashcompat", deadline=None, derandomize=True, max_examples=100)
settings.load_profile("hashcompat")


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return default_catalog()
