# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks that there is one plugin registry: one_registry.py <way> <folder for what it compiles>.

A library that registers a plugin is linked and opened in the given way; the plugin must then show
up in the registry that Python sees. It runs with whatever Kiln the interpreter imports, the tree's
or an installed wheel's, and needs a C++ compiler only.
"""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

# Each can be opened under the original's name with or without the version suffix.
COMPAT_LIBRARIES = ("nvinfer", "nvinfer_plugin", "nvonnxparser")


def package() -> Path:
    """The folder of the kiln package, which holds libraries and headers too."""
    import kiln

    return Path(kiln.__file__).parent


def compile_plugin(folder: Path, name: str, define: str, link: list[str]) -> Path:
    """Compiles a library with one creator of that name."""
    library = folder / f"lib{name}.so"
    source = Path(__file__).with_name("registry_plugin.cpp")
    command = [os.environ.get("CXX", "c++"), "-std=c++17", "-shared", "-fPIC"]
    command += [f'-DCREATOR_NAME="{name}"', f"-D{define}", f"-I{package() / 'include'}"]
    subprocess.run([*command, str(source), "-o", str(library), *link], check=True)
    return library


def link_kiln() -> list[str]:
    """Linker arguments for libkiln itself."""
    return [f"-L{package() / 'lib'}", "-lkiln", f"-Wl,-rpath,{package() / 'lib'}"]


def link_compat() -> list[str]:
    """Linker arguments under the original's names."""
    folder = package() / "lib" / "kiln" / "compat"
    names = [f"-l{name}" for name in COMPAT_LIBRARIES]
    return ["-Wl,--no-as-needed", f"-L{folder}", *names, f"-Wl,-rpath,{folder}"]


def way_ctypes(folder: Path) -> None:
    """A library linked with libkiln, opened by ctypes."""
    ctypes.CDLL(str(compile_plugin(folder, "FromCtypes", "STATIC_REGISTRATION", link_kiln())))
    expect("FromCtypes")


def way_dlopen_before_import(folder: Path) -> None:
    """A library opened with RTLD_LOCAL before kiln is imported.

    The child process imports kiln only after the library is loaded and has registered its creator.
    """
    library = compile_plugin(folder, "BeforeImport", "STATIC_REGISTRATION", link_kiln())
    code = (
        f"import ctypes; ctypes.CDLL({str(library)!r}, mode=ctypes.RTLD_LOCAL)\n"
        "import kiln\n"
        "names = [c.name for c in kiln.get_plugin_registry().all_creators]\n"
        "assert 'BeforeImport' in names, names\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def way_load_library(folder: Path) -> None:
    """A library that exports its creators, opened by the registry."""
    import kiln

    library = compile_plugin(folder, "FromLoadLibrary", "EXPORT_CREATORS", link_kiln())
    handle = kiln.get_plugin_registry().load_library(str(library))
    assert handle is not None
    expect("FromLoadLibrary")


def way_linked_with_nvinfer(folder: Path) -> None:
    """A library linked with -lnvinfer and its companions."""
    ctypes.CDLL(str(compile_plugin(folder, "FromNvinfer", "STATIC_REGISTRATION", link_compat())))
    expect("FromNvinfer")


def way_compat_by_name(folder: Path) -> None:
    """The forwarding libraries, opened by path: every name leads to the same registry."""
    compile_plugin(folder, "Unused", "EXPORT_CREATORS", link_compat())
    compat = package() / "lib" / "kiln" / "compat"
    own = ctypes.CDLL(str(package() / "lib" / "libkiln.so")).getPluginRegistry
    own.restype = ctypes.c_void_p
    for suffix in (".so", ".so.10"):
        libraries = {
            name: ctypes.CDLL(str(compat / f"lib{name}{suffix}")) for name in COMPAT_LIBRARIES
        }
        forwarded = libraries["nvinfer"].getPluginRegistry
        forwarded.restype = ctypes.c_void_p
        assert forwarded() == own(), suffix
        assert libraries["nvinfer_plugin"].initLibNvInferPlugins(None, b"")
        assert libraries["nvinfer"].getInferLibVersion() == 101601
        assert libraries["nvonnxparser"].getNvOnnxParserVersion() > 0


def way_plain_names(folder: Path) -> None:
    """The forwarding libraries, opened by name only in a program that imports tensorrt.

    Each name leads to the same registry, and the libraries are loaded once.
    """
    code = (
        "import ctypes, os, sys\n"
        "import tensorrt\n"
        "before = tensorrt.get_plugin_registry().all_creators\n"
        f"for name in {COMPAT_LIBRARIES!r}:\n"
        "    for end in ('.so', '.so.10'):\n"
        "        library = ctypes.CDLL(f'lib{name}{end}')\n"
        "        assert 'kiln/compat' in next(l for l in open('/proc/self/maps') if name in l)\n"
        "files = {l.split()[-1] for l in open('/proc/self/maps') if 'kiln/compat' in l}\n"
        "assert len(files) == 3, files\n"
        "nvinfer = ctypes.CDLL('libnvinfer.so', mode=ctypes.RTLD_GLOBAL)\n"
        "nvinfer.getPluginRegistry.restype = ctypes.c_void_p\n"
        f"own = ctypes.CDLL({str(package() / 'lib' / 'libkiln.so')!r}).getPluginRegistry\n"
        "own.restype = ctypes.c_void_p\n"
        "assert nvinfer.getPluginRegistry() == own()\n"
        "plugins = ctypes.CDLL('libnvinfer_plugin.so.10')\n"
        "assert plugins.initLibNvInferPlugins(None, b'')\n"
        "assert len(tensorrt.get_plugin_registry().all_creators) == len(before)\n"
    )
    # Libraries of the same names on LD_LIBRARY_PATH must not be found instead.
    other = folder / "other"
    other.mkdir()
    for name in COMPAT_LIBRARIES:
        source = folder / "other.c"
        source.write_text("")
        for end in (".so", ".so.10"):
            command = [
                "cc",
                "-shared",
                "-x",
                "c",
                str(source),
                "-o",
                str(other / f"lib{name}{end}"),
            ]
            subprocess.run(command, check=True)
    for path in ("", str(other)):
        environment = {**os.environ, "LD_LIBRARY_PATH": path}
        subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def expect(name: str) -> None:
    """Fails unless the registry that Python sees holds a creator of that name."""
    import kiln

    names = [creator.name for creator in kiln.get_plugin_registry().all_creators]
    assert name in names, f"expected {name} among the creators, got {names}"


WAYS = {
    name.removeprefix("way_"): function
    for name, function in list(globals().items())
    if name.startswith("way_")
}


def main() -> None:
    """Runs one way, or all of them."""
    ways = list(WAYS) if sys.argv[1] == "all" else [sys.argv[1]]
    for way in ways:
        WAYS[way](Path(sys.argv[2]))
        print(f"one registry: {way}")


if __name__ == "__main__":
    main()
