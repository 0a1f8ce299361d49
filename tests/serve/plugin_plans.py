# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plugin files and plans that need them. The plans are built in other processes, so that this one
knows nothing of the plugins."""

import os
import subprocess
import sys

# y = 2 x, which fails for negative x; {name} is the plugin's.
PLUGIN = """
import numpy as np
import tensorrt.plugin as trtp


@trtp.register("sample::{name}")
def {name}_desc(x: trtp.TensorDesc) -> trtp.TensorDesc:
    return x.like()


@trtp.impl("sample::{name}")
def {name}(x: trtp.Tensor, outputs: tuple[trtp.Tensor], stream: int) -> None:
    values = np.asarray(x)
    if (values < 0).any():
        raise ValueError("no root of a negative number")
    np.asarray(outputs[0])[:] = 2 * values
"""

BUILD = """
import sys
import kiln
kiln.install_as_tensorrt()
import tensorrt.plugin as trtp
sys.path.insert(0, {folder!r})
import {module}
builder = kiln.Builder(kiln.Logger(kiln.Logger.ERROR))
network = builder.create_network()
x = network.add_input("x", kiln.float32, (-1, 4))
y = network.add_plugin(trtp.op.sample.{name}(x)).get_output(0)
y.name = "y"
network.mark_output(y)
config = builder.create_builder_config()
profile = builder.create_optimization_profile()
profile.set_shape("x", (1, 4), (8, 4), (16, 4))
config.add_optimization_profile(profile)
if {embed}:
    kiln.embed_python_plugins(config, {module}.__file__)
with open({plan!r}, "wb") as file:
    file.write(builder.build_serialized_network(network, config))
"""


def make(folder, name, embed=False, source=PLUGIN):
    """Writes NAME_plugin.py and NAME.plan; returns their paths. source: with {name}, or without."""
    module = f"{name}_plugin"
    plugin, plan = folder / f"{module}.py", folder / f"{name}.plan"
    plugin.write_text(source.replace("{name}", name))
    program = BUILD.format(
        folder=str(folder), module=module, name=name, embed=embed, plan=str(plan)
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "KILN_TARGET": "cpu"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return plugin, plan
