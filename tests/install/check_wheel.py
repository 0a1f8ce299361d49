# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks an environment into which both wheels were installed. Standard library and numpy only."""

import importlib
import importlib.metadata
import re
import shutil
import sys
from pathlib import Path

VERSION_HEADER = Path(__file__).parents[2] / "include" / "kiln" / "version.h"


def check_modules() -> None:
    """The drop-in module is the same module object as Kiln's."""
    import kiln
    import tensorrt

    assert Path(sys.prefix) in Path(kiln.__file__).parents, kiln.__file__
    assert tensorrt is kiln
    assert importlib.import_module("tensorrt.tensorrt") is kiln
    assert tensorrt.__version__ == "10.16.1"


def check_distributions() -> None:
    """Both distributions have the version of the header, and the licence."""
    text = VERSION_HEADER.read_text()
    parts = [re.search(rf"{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH")]
    for name in ("kilnrt", "kilnrt-tensorrt"):
        assert importlib.metadata.version(name) == ".".join(parts), name
        files = [str(file) for file in importlib.metadata.files(name)]
        assert any(file.endswith("LICENSE") for file in files), name
    files = [str(file) for file in importlib.metadata.files("kilnrt")]
    for expected in (
        "THIRD_PARTY_NOTICES.md",
        "kiln/py.typed",
        "kiln/bin/trtexec",
        "kiln/report/page/page.html",
    ):
        assert any(file.endswith(expected) for file in files), expected


def check_folders() -> None:
    """The wheel contains what C++ users need, and one copy of libkiln."""
    import kiln

    package = Path(kiln.__file__).parent
    for name in (
        "include/NvInfer.h",
        "lib/cmake/Kiln/KilnConfig.cmake",
        "lib/libkiln.so",
        "lib/kiln/cudart/libcudart.so",
        "lib/kiln/cudart/include/cuda_runtime_api.h",
    ):
        assert (package / name).is_file(), name
    for library in ("libkiln.so", "libkdnnl.so"):
        copies = list(package.rglob(library + "*"))
        assert len(copies) == 1, copies
    assert (package / "lib/kiln/onednn/THIRD-PARTY-PROGRAMS").is_file()


def check_shell_files() -> None:
    """Manual pages and completion scripts are where man and the shells look for them."""
    for name in ("kiln", "trtexec"):
        for file in (
            f"man/man1/{name}.1",
            f"bash-completion/completions/{name}",
            f"zsh/site-functions/_{name}",
            f"fish/vendor_completions.d/{name}.fish",
        ):
            assert (Path(sys.prefix) / "share" / file).is_file(), file


def check_decorated_plugins() -> None:
    """tensorrt.plugin is Kiln's package, and C compiled for a plan finds its header.

    The latter where there is a compiler: try_wheel.py runs without one.
    """
    import kiln
    import kiln.aot
    import tensorrt.plugin

    assert tensorrt.plugin is kiln.plugin
    if not any(map(shutil.which, ("cc", "gcc", "clang"))):
        return
    code = kiln.aot.compile_c("#include <kiln/host_kernel.h>\nint64_t size = sizeof(KilnHostCall);")
    assert code.startswith(b"\x7fELF")


if __name__ == "__main__":
    check_modules()
    check_decorated_plugins()
    check_distributions()
    check_folders()
    check_shell_files()
    print("wheel: modules, plugins, distributions and folders are as they should be")
