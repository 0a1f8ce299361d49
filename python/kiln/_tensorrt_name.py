# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes ``tensorrt.x`` the same module object as ``kiln.x`` when it is first imported."""

import importlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType


class SameModule:
    """Finds the modules below tensorrt.

    A finder and loader without their base classes, because importlib.abc is slow to import.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of a module of Kiln under its other name."""
        parent, _, rest = fullname.partition(".")
        if parent != "tensorrt" or not rest or importlib.util.find_spec(f"kiln.{rest}") is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, self)  # type: ignore[arg-type]

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """Kiln's own module."""
        module = importlib.import_module("kiln." + spec.name.partition(".")[2])
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Runs nothing, because the module is complete. Restores its own spec."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


def install() -> None:
    """Puts the finder before all others, once."""
    if not any(isinstance(finder, SameModule) for finder in sys.meta_path):
        sys.meta_path.insert(0, SameModule())
