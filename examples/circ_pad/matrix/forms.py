# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The four forms of the plugin, and how a process gets to know them."""

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import tensorrt as trt

HERE = Path(__file__).parents[1]
NAME = "CircPadPlugin"


@dataclass(frozen=True)
class PluginForm:
    """A way to write the plugin."""

    style: str  # "V2DynamicExt" or "V3"
    language: str  # "Python" or "C++"
    path: Path  # .py file or .so library

    @property
    def version(self):
        """The plugin version that this form registers."""
        return "1" if self.style == "V2DynamicExt" else "2"


def all_forms(library_folder):
    """Returns the four forms; the C++ libraries lie in library_folder."""
    return [
        PluginForm("V2DynamicExt", "Python", HERE / "circ_pad_v2.py"),
        PluginForm("V2DynamicExt", "C++", Path(library_folder) / "libcirc_pad_v2.so"),
        PluginForm("V3", "Python", HERE / "circ_pad_v3.py"),
        PluginForm("V3", "C++", Path(library_folder) / "libcirc_pad_v3.so"),
    ]


def load_plugin(path):
    """Loads a plugin file into this process and makes sure that its creator is registered."""
    path = Path(path)
    registry = trt.get_plugin_registry()
    if path.suffix == ".so":
        registry.load_library(str(path))
        return
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if registry.get_creator(NAME, module.VERSION, "") is None:
        registry.register_creator(module.CircPadPluginCreator(), "")


def get_creator(version):
    """Returns the registered creator."""
    creator = trt.get_plugin_registry().get_creator(NAME, version, "")
    if creator is None:
        raise RuntimeError(f"{NAME} version {version} is not registered; load its plugin first")
    return creator
