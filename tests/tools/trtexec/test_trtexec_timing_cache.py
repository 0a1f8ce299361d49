# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Timing cache files: written, taken again, refused when damaged."""

import pytest


@pytest.fixture
def build(run, add_model):
    """Builds an engine with the cache file c.bin."""
    return lambda *more: run(
        f"--onnx={add_model(rows=1)}", "--skipInference", "--timingCacheFile=c.bin", *more
    )


def test_a_cache_is_written_and_taken_again(build, tmp_path):
    first = build().passed()
    assert "Timing cache: 'c.bin' does not exist yet, starting with an empty one" in first.out
    bytes_before = (tmp_path / "c.bin").read_bytes()
    assert f"Timing cache: saved {len(bytes_before)} bytes to 'c.bin'" in first.out
    second = build("--errorOnTimingCacheMiss").passed()
    assert f"Timing cache: loaded {len(bytes_before)} bytes from 'c.bin'" in second.out
    assert (tmp_path / "c.bin").read_bytes() == bytes_before


@pytest.mark.parametrize("damage", ["cut", "flipped", "foreign"])
def test_damaged_caches_are_refused(build, tmp_path, damage):
    build().passed()
    data = bytearray((tmp_path / "c.bin").read_bytes())
    if damage == "cut":
        del data[-3:]
    elif damage == "flipped":
        data[-1] ^= 1
    else:
        data = bytearray(b"this is no timing cache")
    (tmp_path / "c.bin").write_bytes(data)
    build().failed("--timingCacheFile: 'c.bin' could not be used; the lines above say why")
    assert (tmp_path / "c.bin").read_bytes() == data, "a file that is refused stays as it was"


def test_an_empty_file_is_refused(build, tmp_path):
    (tmp_path / "c.bin").touch()
    build().failed("expected a timing cache, got the empty file 'c.bin'. Delete it to start anew")
