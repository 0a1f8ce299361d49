# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""nvJitLink, for machines without ptxas; a library with the same functions stands in for it."""

import pytest
from kiln import aot
from kiln.aot import _nvjitlink, _ptxas

PTX = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry nothing() { ret; }\n"

# Returns the architecture and its input as code; fails for PTX that contains the word "wrong".
STAND_IN = """
#include <stdlib.h>
#include <string.h>
typedef struct { char text[256]; int failed; } Link;
int nvJitLinkCreate(Link** link, unsigned count, char const** options) {
    if (count != 1 || strcmp(options[0], "-arch=sm_9999") == 0) return 1;
    *link = calloc(1, sizeof(Link));
    strcpy((*link)->text, options[0]);
    return 0;
}
int nvJitLinkAddData(Link* link, int kind, void const* data, size_t size, char const* name) {
    if (kind != 2 || strlen(data) + 1 != size) return 2;
    link->failed = strstr(data, "wrong") != 0;
    strncat(link->text, data, 100);
    return 0;
}
int nvJitLinkComplete(Link* link) { return link->failed; }
int nvJitLinkGetErrorLogSize(Link* link, size_t* size) { *size = 9; return 0; }
int nvJitLinkGetErrorLog(Link* link, char* log) { memcpy(log, "line 7: ?", 9); return 0; }
int nvJitLinkGetLinkedCubinSize(Link* link, size_t* size) {
    *size = strlen(link->text);
    return 0;
}
int nvJitLinkGetLinkedCubin(Link* link, char* out) {
    memcpy(out, link->text, strlen(link->text));
    return 0;
}
int nvJitLinkDestroy(Link** link) { free(*link); return 0; }
"""


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    path = tmp_path / "libnvJitLink.so.13"
    path.write_bytes(aot.compile_c(STAND_IN))
    monkeypatch.setattr(_ptxas, "assemblers", list)
    monkeypatch.setattr(_nvjitlink, "libraries", lambda: [str(path)])


def test_it_assembles(stand_in):
    cubin = aot.cubin_for(PTX, "sm_90")
    assert cubin.startswith(b"-arch=sm_90.version 8.0")
    assert not cubin.endswith(b"\0")


def test_its_words_are_told(stand_in):
    with pytest.raises(RuntimeError, match=r"PTX for sm_90: .* got\nline 7: \?"):
        aot.cubin_for(PTX + "// wrong", "sm_90")


def test_an_architecture_that_it_does_not_know(stand_in):
    with pytest.warns(RuntimeWarning, match="'sm_9999' is not defined for option"):
        assert aot.cubin_for(PTX, "sm_9999") is None


def test_a_library_that_does_not_open(monkeypatch):
    cubin, words = _nvjitlink.assemble("/nowhere/libnvJitLink.so", b"", "sm_90")
    assert cubin is None
    assert "/nowhere/libnvJitLink.so" in words


def test_the_real_one(monkeypatch):
    if not list(_nvjitlink.libraries()):
        pytest.skip("nvidia-nvjitlink is not installed")
    monkeypatch.setattr(_ptxas, "assemblers", list)
    assert aot.cubin_for(PTX, "sm_90").startswith(b"\x7fELF")
    with pytest.raises(RuntimeError, match="expected code that ptxas takes"):
        aot.cubin_for(PTX.replace("ret", "jump"), "sm_90")
    with pytest.warns(RuntimeWarning, match="expected a ptxas or nvJitLink that takes it"):
        assert aot.cubin_for(PTX.replace("8.0", "9.9"), "sm_90") is None
