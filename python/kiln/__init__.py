# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Kiln: an open implementation of the TensorRT API.

This module has the names of the API; ``kiln.install_as_tensorrt()`` also makes it importable as
``tensorrt``. Kiln adds to the API:

buffer, raise_errors, open_engine, check_plan, describe_plan, found_shape, set_num_threads,
num_threads, set_default_target, default_target, describe_target, DeviceArray, use_host_cudart,
embed_python_plugins, allow_python_source, python_source_allowed, install_as_tensorrt, kiln_version,
ProgressBar, logging_logger, message_code, show;
layers that the API lacks: add_roi_align, add_unique, add_determinant, add_bit_cast,
set_scatter_reduction, RoiPooling, ScatterReduction;
for decorated plugins: Kernel, SymInt64, Float32, Float64, build_target, shape_values.
"""

import importlib
import json
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from kiln import _bindings as _bindings
from kiln import _core, _repr, _unsupported
from kiln._core import *  # noqa: F403
from kiln._core import DataType, ILogger, Logger
from kiln._host_cudart import use_host_cudart as use_host_cudart
from kiln._messages import coded as _coded
from kiln._onnx_parts import NodeIndices as NodeIndices
from kiln._onnx_parts import SubGraphCollection as SubGraphCollection

__version__ = "10.16.1"

float32 = DataType.FLOAT
float16 = DataType.HALF
bfloat16 = DataType.BF16
int8 = DataType.INT8
int32 = DataType.INT32
int64 = DataType.INT64
uint8 = DataType.UINT8
fp8 = DataType.FP8
int4 = DataType.INT4
fp4 = DataType.FP4
e8m0 = DataType.E8M0


def volume(iterable: Iterable[int]) -> int:
    """The product of extents, such as those of a shape; 1 if there are none."""
    product = 1
    for extent in iterable:
        product *= extent
    return product


def check_plan(path: "str | os.PathLike[str]", logger: "ILogger | None" = None) -> "_Bool":
    """Checks a plan file completely, weights included, without opening an engine.

    path: the file. logger: receives one error for each fault. Default: a new Logger(WARNING).
    Returns True if nothing is wrong.
    """
    return _core._check_plan(path, logger or Logger(Logger.WARNING))


def describe_plan(
    path: "str | os.PathLike[str]", logger: "ILogger | None" = None
) -> dict[str, Any]:
    """Describes what a plan file contains and needs, without opening an engine or creating plugins.

    path: the file. logger: receives the reason if the file cannot be read. Default: a new
    Logger(INTERNAL_ERROR). Returns a dict; its entry "problems" lists why the plan cannot be opened
    here. Raises OSError if the file does not exist or cannot be mapped.
    """
    text = _core._describe_plan(path, logger or Logger(Logger.INTERNAL_ERROR))
    if text is None:
        with open(path, "rb"):
            raise _coded(
                OSError, f"[plan] expected a file that can be mapped, got '{os.fspath(path)}'"
            )
    return dict(json.loads(text))


def describe_target(target: "str | None" = None) -> dict[str, Any]:
    """Describes a target on this machine, and the libraries that it opens at run time.

    target: as set_default_target takes it. Default: the default target.
    Returns a dict: "target" and "problem", which says why engines cannot be built for the target.
    If "problem" is empty, also "architectures", "runs_here", "device" (cuda only, if a GPU runs the
    plans) and "libraries", each with its "version" and "file", or its "problem".
    """
    return dict(json.loads(_core._describe_target(target)))


def embed_python_plugins(config: Any, *modules: Any) -> None:
    """Embeds whole plugin modules into the plans that are built with a configuration.

    A process that has not registered the plugins can open such a plan after
    ``kiln.allow_python_source(runtime)``. The modules that the plan needs are then run, each under
    its own name. This works for class-based plugins and just-in-time functions; a plugin that is
    compiled ahead of time needs no source.

    config: IBuilderConfig. modules: module objects or paths of ``.py`` files. Each is first
    imported alone in a clean process.
    Raises ValueError, with the traceback, for a module that cannot be imported alone, registers no
    plugin, is not a ``.py`` file, or has the name of another module.
    """
    from kiln import _python_source

    _python_source.embed(config, modules)


def install_as_tensorrt() -> None:
    """Makes ``import tensorrt`` return this module, here and in everything imported later.

    Afterwards ``ctypes.CDLL`` also finds Kiln's libraries under the names libnvinfer.so,
    libnvinfer_plugin.so and libnvonnxparser.so, with or without ``.10`` at the end.

    Raises RuntimeError if another ``tensorrt`` is already imported.
    """
    module = sys.modules[__name__]
    present = sys.modules.get("tensorrt", module)
    path = getattr(present, "__file__", None) or ""
    if present is not module and not _is_own_shim(path):
        raise _coded(
            RuntimeError,
            f"expected to come before any import of tensorrt, found {path or present!r}. "
            "Call kiln.install_as_tensorrt() at the top of the program.",
        )
    sys.modules["tensorrt"] = module
    sys.modules["tensorrt.tensorrt"] = module
    vars(module)["tensorrt"] = module
    _core._open_original_names()
    from kiln import _tensorrt_name

    _tensorrt_name.install()


def _is_own_shim(path: str) -> "_Bool":
    """Whether a file is the package that only calls install_as_tensorrt."""
    try:
        with open(path, encoding="utf-8") as source:
            return "kiln.install_as_tensorrt()" in source.read(4096)
    except OSError:
        return False


_unsupported.add_to(sys.modules[__name__])
_repr.add_to_classes()
# NVIDIA's wheels may have libraries in these folders. The target cuda opens them at first use.
for _folder in sys.path:
    if _folder.endswith("-packages"):
        _core._add_library_folder(_folder)
# These names are imported at first use, which keeps import kiln fast.
_LAZY_MODULES = ("aot", "plugin", "report", "serve")
_OF_PLUGINS = dict.fromkeys(("Kernel", "SymInt64", "Float32", "Float64", "build_target"), "_aot")
_OF_PLUGINS["shape_values"] = "_desc"
_FUNCTIONS = {
    "DeviceArray": "_device_array",
    "ProgressBar": "_progress",
    "logging_logger": "_logging",
    "show": "_show",
}
if TYPE_CHECKING:
    from kiln._device_array import DeviceArray as DeviceArray
    from kiln._logging import logging_logger as logging_logger
    from kiln._progress import ProgressBar as ProgressBar
    from kiln._show import show as show
    from kiln.plugin._aot import Float32 as Float32
    from kiln.plugin._aot import Float64 as Float64
    from kiln.plugin._aot import Kernel as Kernel
    from kiln.plugin._aot import SymInt64 as SymInt64
    from kiln.plugin._aot import build_target as build_target
    from kiln.plugin._desc import shape_values as shape_values
else:  # hidden from type checkers, which would accept any name

    def __getattr__(name: str) -> Any:
        if name in _LAZY_MODULES:
            return importlib.import_module(f"kiln.{name}")
        if name in _OF_PLUGINS:
            return getattr(importlib.import_module(f"kiln.plugin.{_OF_PLUGINS[name]}"), name)
        if name in _FUNCTIONS:
            return getattr(importlib.import_module(f"kiln.{_FUNCTIONS[name]}"), name)
        raise _unsupported.explain(name)


# Last, because the name hides Python's bool.
_Bool = bool
bool: DataType = DataType.BOOL
