# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""tensorrt.plugin is the same module as kiln.plugin, and is imported on first use."""

import subprocess
import sys

import pytest


def python(text):
    ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.split()


@pytest.mark.parametrize(
    "first",
    [
        "import tensorrt.plugin as a; import kiln.plugin as b",
        "import kiln.plugin as b; import tensorrt.plugin as a",
        "import tensorrt; a = tensorrt.plugin; import kiln; b = kiln.plugin",
        "import tensorrt.plugin._lib as a; import kiln.plugin._lib as b",
        "from tensorrt.plugin import _tensor as a; from kiln.plugin import _tensor as b",
        "import kiln; kiln.install_as_tensorrt(); import tensorrt.aot as a; import kiln.aot as b",
    ],
)
def test_one_module(first):
    said = python(f"{first}\nprint(a is b, a.__name__, a.__spec__.name)")
    assert said[0] == "True" and said[1] == said[2] and said[1].startswith("kiln.")


def test_names_that_clients_import():
    text = (
        "from tensorrt.plugin._lib import QDP_CREATORS, QDP_REGISTRY, PluginDef\n"
        "from tensorrt.plugin._tensor import SymExpr, SymIntExpr, ShapeExpr, TensorDesc\n"
        "import tensorrt.plugin as trtp\n"
        "print(type(QDP_REGISTRY).__name__, trtp.TensorDesc is TensorDesc)"
    )
    assert python(text) == ["dict", "True"]


def test_what_is_imported_late():
    text = (
        "import sys, kiln\n"
        "print('kiln.plugin' in sys.modules)\n"
        "kiln.plugin.register\n"
        "print('numpy' in sys.modules, 'triton' in sys.modules)\n"
        "print(kiln.Kernel.__name__, kiln.build_target().target)"
    )
    assert python(text) == ["False", "False", "False", "Kernel", "cpu"]


def test_modules_that_are_not_there():
    text = (
        "import tensorrt\n"
        "try:\n    import tensorrt.nothing\n"
        "except ModuleNotFoundError as error:\n    print(error.name)"
    )
    assert python(text) == ["tensorrt.nothing"]
