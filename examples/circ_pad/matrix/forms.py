# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The forms of the plugin, and how a process loads them."""

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path

import tensorrt as trt

from . import frameworks

HERE = Path(__file__).parents[1]
NAME = "CircPadPlugin"
# Style: the model that uses it, see data.model_path and network.add_padding.
MODELS = {
    "V2DynamicExt": "v1",
    "V3": "v2",
    "decorated": "decorated",
    "decorated, ahead of time": "decorated",
}
# Compiled into the plan by circ_pad_aot_*.py.
COMPILED = {
    "cpu": {"C": "c", "C++": "cpp", "Numba": "numba"},
    "cuda": {"Triton": "triton", "NVRTC": "nvrtc"},
}
# Files of frameworks whose file name differs from their own name.
FILES = {"Numba": "numba_cuda", "cuda-python": "cuda_python"}


@dataclass(frozen=True)
class PluginForm:
    """A way to write the plugin."""

    style: str  # a key of MODELS
    framework: str  # "C++", or in Python "NumPy", "Torch", ...
    path: Path  # .py file or .so library

    @property
    def model(self) -> str:
        """The kind of network that uses this form."""
        return MODELS[self.style]

    @property
    def folder_name(self) -> str:
        """A name for the files of this form."""
        name = f"{self.style}_{self.framework}"
        return name.replace(", ", "_").replace(" ", "_").replace("+", "p")

    @property
    def is_compiled(self) -> bool:
        """Whether the plan contains the plugin's code, so that running it needs nothing else."""
        return self.style == "decorated, ahead of time"

    @property
    def missing(self) -> str | None:
        """A text that says what to install for this form; None if it works."""
        if self.is_compiled:
            return frameworks.missing_to_compile(self.framework)
        if self.path.name.endswith("_cuda.so") and not self.path.exists():
            return f"{self.path.name} was not built: CMake found no nvcc"
        return frameworks.missing(self.framework)


def all_forms(library_folder: str | Path) -> list[PluginForm]:
    """Returns all forms for the default target; the C++ libraries are in library_folder."""
    target = "cuda" if frameworks.on_cuda() else "cpu"
    folder = Path(library_folder)
    forms = []
    for style, file in (("V2DynamicExt", "circ_pad_v2"), ("V3", "circ_pad_v3")):
        if target == "cpu":
            forms.append(PluginForm(style, "NumPy", HERE / f"{file}.py"))
            forms.append(PluginForm(style, "C++", folder / f"lib{file}.so"))
        else:
            forms.append(PluginForm(style, "C++", folder / f"lib{file}_cuda.so"))
        forms += forms_of_frameworks(style, target)
    if target == "cpu":
        forms.append(PluginForm("decorated", "NumPy", HERE / "circ_pad_decorated.py"))
    forms += forms_of_frameworks("decorated", target)
    for framework, suffix in COMPILED[target].items():
        path = HERE / f"circ_pad_aot_{suffix}.py"
        forms.append(PluginForm("decorated, ahead of time", framework, path))
    return forms


def forms_of_frameworks(style: str, target: str) -> list[PluginForm]:
    """The forms with a framework other than NumPy."""
    files = FILES if target == "cuda" else {}
    names = frameworks.ON_CUDA if target == "cuda" else frameworks.ON_CPU
    return [
        PluginForm(style, name, HERE / f"circ_pad_{files.get(name, name.lower())}.py")
        for name in names
    ]


def load_plugin(path: str | Path) -> None:
    """Loads a plugin file into this process and registers its creator if needed."""
    path = Path(path)
    registry = trt.get_plugin_registry()
    if path.suffix == ".so":
        registry.load_library(str(path))
        return
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None, "the file is not Python"
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    # A file with one form does not register its creator.
    if hasattr(module, "VERSION") and registry.get_creator(NAME, module.VERSION, "") is None:
        registry.register_creator(module.CircPadPluginCreator(), "")


def get_creator(version: str) -> trt.IPluginCreator | trt.IPluginCreatorV3One:
    """Returns the registered creator of a class-based form."""
    creator = trt.get_plugin_registry().get_creator(NAME, version, "")
    if not isinstance(creator, trt.IPluginCreator | trt.IPluginCreatorV3One):
        raise RuntimeError(f"{NAME} version {version} is not registered; load its plugin first")
    return creator
