# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Shared objects made by the system's compiler."""

import subprocess

import numpy as np
import pytest
from kiln import aot
from kiln.aot._c import compiler_for

DOUBLE = """
#include <kiln/host_kernel.h>
#include <math.h>

int32_t twice(void const* const* inputs, void* const* outputs, KilnScalar const* scalars,
              KilnHostCall const* call) {
    float const* x = inputs[0];
    float* y = outputs[0];
    for (int64_t i = 0; i < scalars[0].integer; ++i) {
        y[i] = fabsf(x[i]) * 2.0f;
    }
    return call == 0 ? 0 : 7;
}
"""


def test_c_source(load, ramp):
    twice = load(aot.compile_c(DOUBLE), "twice")
    out = np.zeros_like(ramp)
    assert twice([ramp], [out], [10]) == 0
    np.testing.assert_array_equal(out, ramp * 2)


def test_the_same_source_gives_the_same_bytes():
    assert aot.compile_c(DOUBLE) == aot.compile_c(DOUBLE)


def test_cpp_file_with_a_header_beside_it(load, ramp, tmp_path):
    (tmp_path / "factor.h").write_text("constexpr float kFactor = 3.0F;\n")
    source = tmp_path / "triple.cpp"
    source.write_text(
        '#include <kiln/host_kernel.h>\n#include "factor.h"\n'
        'extern "C" int32_t triple(void const* const* in, void* const* out, KilnScalar const* s,\n'
        "                          KilnHostCall const*) {\n"
        "    for (int64_t i = 0; i < s->integer; ++i)\n"
        "        static_cast<float*>(out[0])[i] = kFactor * static_cast<float const*>(in[0])[i];\n"
        "    return 0;\n}\n"
    )
    triple = load(aot.compile_c(source, options=["-std=c++20"]), "triple")
    out = np.zeros_like(ramp)
    assert triple([ramp], [out], [10]) == 0
    np.testing.assert_array_equal(out, ramp * 3)


def relocatable(source, tmp_path):
    path = tmp_path / "part.c"
    path.write_text(source)
    command = [*compiler_for("c"), "-c", "-fPIC", path, "-o", tmp_path / "part.o"]
    subprocess.run(command, check=True)
    return (tmp_path / "part.o").read_bytes()


def test_objects_are_linked(load, tmp_path):
    first = relocatable("int helper(void); int entry(void) { return helper(); }", tmp_path)
    second = relocatable("int helper(void) { return 42; }", tmp_path)
    library = load(aot.link([first, second]), "entry")
    assert library.entry() == 42


def test_undefined_functions_are_named(tmp_path):
    part = relocatable("int a(void); int b(void); int f(void) { return a() + b(); }", tmp_path)
    with pytest.raises(RuntimeError, match=r"found these undefined: a, b\. Define them"):
        aot.link(part)


def test_source_that_does_not_compile():
    with pytest.raises(RuntimeError, match=r"(?s)c source: expected '.*' to succeed.*oops"):
        aot.compile_c("oops")


def test_unknown_language():
    with pytest.raises(ValueError, match="expected 'c' or 'c\\+\\+', got 'fortran'"):
        aot.compile_c("", language="fortran")


def test_no_compiler(monkeypatch, tmp_path):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match=r"compiler for c .*, found none\. Install one"):
        aot.compile_c("")
    monkeypatch.setenv("CC", "no-such-compiler -m64")
    with pytest.raises(RuntimeError, match="CC: expected a compiler that can be run, got 'no-such"):
        aot.compile_c("")
