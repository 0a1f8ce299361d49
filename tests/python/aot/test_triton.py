# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Triton compiles without a GPU, and its state is restored afterwards."""

import inspect
import os
import subprocess
import sys
import textwrap

import kiln
import pytest
from kiln.aot import aot_compilation

triton = pytest.importorskip("triton")
tl = triton.language

SIGNATURE = {"x": "*fp32", "n": "i32", "y": "*fp32", "BLOCK": "constexpr"}


@triton.jit
def double(x, n, y, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)


def compiled():
    make = triton.compiler.ASTSource
    if "constexprs" in inspect.signature(make).parameters:
        source = make(double, signature=SIGNATURE, constexprs={"BLOCK": 128})
    else:  # before Triton 3.3
        pointers = {name: kind for name, kind in SIGNATURE.items() if kind != "constexpr"}
        source = make(double, signature=pointers, constants={"BLOCK": 128})
    return triton.compile(source)


@pytest.mark.parametrize(("architecture", "target"), [("sm_80", "sm_80"), ("sm_90", "sm_90a")])
def test_compile_without_a_target(architecture, target):
    with aot_compilation("cuda", architecture) as compilation:
        kernel = compiled()
        ptx = kernel.asm["ptx"].encode()
        images = compilation.completed([ptx])
    assert f".target {target}".encode() in ptx
    assert images == [ptx, kernel.asm["cubin"]]


def test_a_kernel_may_be_warmed_up():
    torch = pytest.importorskip("torch")
    with aot_compilation("cuda", "sm_90") as compilation:
        kernel = double.warmup(torch.float32, 10, torch.float32, BLOCK=64, grid=(1,))
        images = compilation.completed([kernel.asm["ptx"].encode()])
    assert len(images) == 2


def test_a_cubin_alone_stays_alone():
    with aot_compilation("cuda", "sm_90") as compilation:
        cubin = compiled().asm["cubin"]
        assert compilation.completed([cubin]) == [cubin]


@pytest.mark.parametrize("kind", ["ptx", "cubin"])
def test_scratch_memory_is_refused(kind):
    with aot_compilation("cuda", "sm_90") as compilation:
        kernel = compiled()
        if not hasattr(kernel.metadata, "global_scratch_size"):
            pytest.skip("this Triton has no scratch memory")
        kernel.metadata = kernel.metadata._replace(global_scratch_size=128)
        code = kernel.asm[kind]
        with pytest.raises(RuntimeError, match=r"'double': expected one without .* it wants 128"):
            compilation.completed([code.encode() if kind == "ptx" else code])


def test_triton_is_left_as_it_was():
    config = triton.runtime.driver
    before = dict(vars(config))
    construct = triton.compiler.CompiledKernel.__init__
    with aot_compilation("cuda", "sm_90"), pytest.raises(ZeroDivisionError):
        assert vars(config) != before
        raise ZeroDivisionError
    assert vars(config) == before
    assert triton.compiler.CompiledKernel.__init__ is construct


def test_nothing_is_shown_for_the_cpu():
    before = dict(vars(triton.runtime.driver))
    with aot_compilation("cpu", "x86-64"):
        assert vars(triton.runtime.driver) == before


@pytest.mark.skipif(
    not kiln.describe_target("cuda")["problem"], reason="Triton compiles for the GPU that is here"
)
def test_triton_is_not_for_the_cpu():
    with (
        pytest.raises(RuntimeError, match="expected code for the target cpu, got a call of Triton"),
        aot_compilation("cpu", "x86-64"),
    ):
        compiled()
    with pytest.raises(ZeroDivisionError), aot_compilation("cpu", "x86-64"):
        raise ZeroDivisionError


def test_running_a_kernel_is_refused():
    with (
        aot_compilation("cuda", "sm_90"),
        pytest.raises(AttributeError, match="not run"),
    ):
        triton.runtime.driver.active.get_benchmarker()


def script(body, **environment):
    """Runs a program in its own process, where Triton is not imported yet."""
    start = "import sys\nfrom kiln.aot import aot_compilation\n"
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", start + textwrap.dedent(body)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_triton_that_is_imported_within():
    done = script(
        """
        assert "triton" not in sys.modules
        with aot_compilation("cuda", "sm_80"):
            import triton
            print(triton.runtime.driver.active.get_current_target().arch, triton.__spec__.loader)
        try:
            triton.runtime.driver.active.get_current_target()
        except RuntimeError as error:
            print("after:", error)
        """,
        CUDA_VISIBLE_DEVICES="",
    )
    assert done.stdout.startswith("80 <_frozen_importlib_external.SourceFileLoader")
    assert "after: 0 active drivers" in done.stdout, done.stderr


def test_triton_that_is_not_imported_stays_out():
    done = script(
        """
        with aot_compilation("cuda", "sm_80"):
            import json
        assert "triton" not in sys.modules
        assert not any("aot" in type(finder).__module__ for finder in sys.meta_path)
        print("done")
        """
    )
    assert done.stdout == "done\n", done.stderr


def test_the_interpreter_compiles_nothing(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            """
            import triton
            from kiln.aot import aot_compilation

            @triton.jit
            def nothing(x):
                pass

            with aot_compilation("cuda", "sm_90"):
                source = triton.compiler.ASTSource(nothing, signature={"x": "*fp32"})
                triton.compile(source)
            """
        )
    )
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, check=False, env=environment
    )
    assert "[aot] Triton compiles nothing under TRITON_INTERPRET=1. Run builds" in done.stderr


def test_other_errors_pass_under_the_interpreter(monkeypatch):
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    with pytest.raises(ZeroDivisionError), aot_compilation("cuda", "sm_90"):
        raise ZeroDivisionError
