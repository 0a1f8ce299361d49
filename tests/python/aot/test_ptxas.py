# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""PTX becomes a cubin if an assembler is found."""

import stat

import kiln
import pytest
from kiln.aot import _nvjitlink, _ptxas, aot_compilation, cubin_for

PTX = """\
.version 7.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 x, .param .u32 n, .param .u64 y) { ret; }
"""


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Returns a function that installs a ptxas that prints these words and fails."""

    def install(words):
        program = tmp_path / "ptxas"
        program.write_text(f"#!/bin/sh\necho '{words}' >&2\nexit 255\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setattr(_ptxas, "assemblers", lambda: [str(program)])
        monkeypatch.setattr(_nvjitlink, "libraries", list)

    return install


@pytest.fixture
def real():
    if not any(_ptxas.os.access(program, _ptxas.os.X_OK) for program in _ptxas.assemblers()):
        pytest.skip("no ptxas here, neither Triton's nor another")


def machine(cubin):
    return cubin[:4], int.from_bytes(cubin[18:20], "little")


def test_a_cubin_from_ptx(real):
    cubin = cubin_for(PTX, "sm_90")
    assert machine(cubin) == (b"\x7fELF", 190)
    assert cubin == cubin_for(PTX.encode() + b"\0", "sm_90"), "as NVRTC gives it"


def test_an_exact_architecture_is_kept(real):
    ptx = PTX.replace("7.0", "8.0").replace("sm_80", "sm_90a")
    assert machine(cubin_for(ptx, "sm_90")) == (b"\x7fELF", 190)


def test_it_is_kept_beside_ptx(real):
    with aot_compilation("cuda", "sm_90") as compilation:
        images = compilation.completed([PTX.encode()])
        assert len(images) == 2 and images[0] == PTX.encode()
        assert compilation.completed(images) == images, "nothing is done twice"
        assert compilation.completed([b"text"]) == [b"text"], "for the checks that come"


def test_wrong_ptx_is_told_with_the_words_of_ptxas(fake):
    fake("kernel.ptx, line 4; error: Unknown symbol")
    with pytest.raises(RuntimeError, match=r"PTX for sm_90: .* got\nkernel\.ptx, line 4; error"):
        cubin_for(PTX, "sm_90")


def test_wrong_ptx_is_told_by_the_real_one(real):
    with pytest.raises(RuntimeError, match=r"(?s)expected code that ptxas takes.*kernel\.ptx"):
        cubin_for(PTX.replace("ret;", "jump;"), "sm_90")


def test_ptx_that_is_too_new_stays_alone(fake):
    fake("ptxas fatal : Unsupported .version 9.9; current version is 8.8")
    with pytest.warns(RuntimeWarning, match=r"takes it \(.*ptxas: .*Unsupported .version 9.9"):
        assert cubin_for(PTX, "sm_90") is None


def test_no_assembler(monkeypatch):
    monkeypatch.setattr(_ptxas, "assemblers", list)
    monkeypatch.setattr(_nvjitlink, "libraries", list)
    with pytest.warns(RuntimeWarning, match=r"\(there is none\). The plan keeps the PTX alone"):
        assert cubin_for(PTX, "sm_90") is None


def test_where_assemblers_are_looked_for(monkeypatch):
    monkeypatch.setenv("PTXAS", "/a/ptxas")
    monkeypatch.setenv("CUDA_HOME", "/b")
    found = list(_ptxas.assemblers())
    assert found[0] == "/a/ptxas"
    assert "/b/bin/ptxas" in found


def test_no_architecture_is_known():
    with pytest.raises(
        ValueError, match=r"expected one architecture of a GPU to be built for, got"
    ):
        cubin_for(PTX)


def test_architecture_of_the_target(real):
    kiln.set_default_target("cuda:sm_80")
    try:
        assert machine(cubin_for(PTX)) == machine(cubin_for(PTX, "sm_80"))
    finally:
        kiln.set_default_target(None)
