from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashcompat.core.errors import UsageError
from hashcompat.core.release import parse_release


@pytest.mark.parametrize(
    ("text", "minor", "patch", "vendor"),
    [
        pytest.param("1.9.11", "1.9", 11, "", id="upstream"),
        pytest.param("v1.9.11", "1.9", 11, "", id="with v"),
        pytest.param("v1.16.15-eks-ad4801", "1.16", 15, "-eks-ad4801", id="EKS"),
        pytest.param("v1.27.3-gke.100", "1.27", 3, "-gke.100", id="GKE"),
        pytest.param("v1.28.2+k3s1", "1.28", 2, "+k3s1", id="k3s"),
        pytest.param("v1.28.2-rc1+k3s1", "1.28", 2, "-rc1+k3s1", id="k3s candidate of an upstream release"),
        pytest.param("v1.14.6-IKS+7", "1.14", 6, "-IKS+7", id="upper case"),
        pytest.param("v1.11.0+d4cacc0", "1.11", 0, "+d4cacc0", id="OpenShift"),
    ],
)
def test_a_release_name_is_read(text: str, minor: str, patch: int, vendor: str) -> None:
    release = parse_release(text)
    assert (release.minor, release.patch, release.vendor, str(release)) == (minor, patch, vendor, text)


def test_white_space_around_a_name_does_not_count() -> None:
    assert str(parse_release(" 1.9.11\n")) == "1.9.11"


def test_the_version_of_a_vendors_build_is_the_upstream_release() -> None:
    assert parse_release("v1.16.15-eks-ad4801").upstream == "1.16.15"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1.9",
        "1",
        "1.9.11.2",
        "1.9.x",
        "1.09.11",
        "01.9.11",
        "1.9.011",
        "vv1.9.1",
        "V1.9.1",
        "1.9.1-",
        "1.9.1 eks",
        "1.9.-1",
        "1.\u0669.1",
        "9" * 5000,
        "1.9." + "9" * 10,
    ],
)
def test_what_is_no_release_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="is not a kubelet release"):
        parse_release(text)


@pytest.mark.parametrize(
    "suffix", ["-alpha.0", "-alpha", "-beta.2", "-rc.1", "-rc.1+abc", "-alpha.0.1234+deadbeef"]
)
def test_a_pre_release_is_refused(suffix: str) -> None:
    with pytest.raises(UsageError, match="is a pre-release"):
        parse_release("v1.30.0" + suffix)


numbers = st.integers(0, 999_999_999)


@given(numbers, numbers, numbers)
def test_any_three_numbers_are_read_back(major: int, minor: int, patch: int) -> None:
    release = parse_release(f"v{major}.{minor}.{patch}")
    assert (release.major, release.minor_number, release.patch) == (major, minor, patch)
