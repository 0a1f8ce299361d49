# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The case tables on the emulated GPU, kernels included: see tests/emulation/emulation.h.

The rows cover every kernel source, in float16, bfloat16 and the integer types; a real GPU runs all
rows. A process opens one driver, so child processes run the tables, in four groups.
"""

import sys
from pathlib import Path

import pytest
from case_tables import TABLES
from emulated_gpu import EVERYTHING, ROOT, run_pytest

GROUPS = 4
ROWS = (
    "((dynamic or any_address) and float16) or (static and not float16 and not float32) or bfloat16"
)


@pytest.mark.parametrize("group", range(GROUPS))
def test_tables(group):
    tables = " or ".join(f"[{table}-" for table in list(TABLES)[group::GROUPS])
    result = run_pytest(["tests/ops/test_ops.py", "-m", "cuda", "-k", f"({ROWS}) and ({tables})"])
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]


NVRTC = sorted(Path(sys.prefix).glob("lib/python3*/site-packages/nvidia/cu13/lib/libnvrtc.so.13"))
SHARED = "strips or held_columns or rows_of_packs"  # rows whose launches ask for shared memory


@pytest.mark.skipif(not NVRTC, reason="no wheel of NVRTC")
def test_limits_of_kernels(monkeypatch):
    """Launches within the registers and the shared memory that NVIDIA's compiler reports, also of
    candidates that are only timed: the emulation says which launch it refused."""
    monkeypatch.setenv("KILN_EMULATION_NVRTC", str(NVRTC[0]))
    result = run_pytest(
        ["tests/ops/test_ops.py", "-s", "-m", "cuda", "-k", f"float32 and ({SHARED})"]
    )
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]
    assert "a launch of" not in result.stdout + result.stderr


def test_libraries():
    result = run_pytest(["tests/ops/test_libraries.py", "-m", "cuda"], EVERYTHING)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]


def test_formats():
    result = run_pytest(["tests/ops/test_formats.py", "-m", "cuda", "-k", "not float32"])
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]


@pytest.mark.parametrize("name", ["non_zero", "nms", "random_fill"])
def test_alone(name):
    """Layers that are not in tables: they find sizes, or each run differs."""
    result = run_pytest([f"tests/ops/test_{name}.py"])
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]


def test_control():
    result = run_pytest(["tests/ops/test_control.py"])
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]


def test_random_control():
    rows = [f"tests/ops/test_random_control.py::test_random_networks[{i}]" for i in range(12)]
    result = run_pytest(rows)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]


def test_views():
    result = run_pytest(["tests/ops/test_views.py"])
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]


def test_gates():
    result = run_pytest(["tests/ops/test_gates.py"], EVERYTHING)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]


def test_collectives():
    result = run_pytest(["tests/ops/test_dist_collective.py"], (*EVERYTHING, "NCCL"))
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]


def test_attention_over_ranks(monkeypatch):
    monkeypatch.setenv("KILN_EMULATION_DEVICES", "3")
    result = run_pytest(["tests/ops/test_attention_ranks.py"], (*EVERYTHING, "NCCL"))
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]


def test_kv_cache():
    result = run_pytest(["tests/ops/test_kv_cache.py"])
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]


def test_every_layer_is_there():
    """Every layer of the cpu target has kernels for cuda. A file may hold a part of its kernels:
    pooling_channels.cpp."""
    stems = {
        target: {path.stem for path in (ROOT / "src/targets" / target / "ops").glob("*.cpp")}
        for target in ["cpu", "cuda"]
    }
    assert all(
        any(stem == layer or stem.startswith(f"{layer}_") for layer in stems["cuda"])
        for stem in stems["cpu"]
    ), stems
