# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A model whose requests may end the process of the replica."""

import plugin_plans

DEADLY = '''
import os
from pathlib import Path

import numpy as np
import tensorrt.plugin as trtp

DEATHS = Path(__file__).with_name("deaths")


@trtp.register("sample::deadly")
def deadly_desc(x: trtp.TensorDesc) -> trtp.TensorDesc:
    return x.like()


@trtp.impl("sample::deadly")
def deadly(x: trtp.Tensor, outputs: tuple[trtp.Tensor], stream: int) -> None:
    """y = 2 x; a negative number ends the process."""
    if (np.asarray(x) < 0).any():
        with DEATHS.open("a") as file:
            file.write("x")
        os._exit(9)
    np.asarray(outputs[0])[:] = 2 * np.asarray(x)
'''


def make(folder):
    """The paths of the plugin and the plan, and the file that gets a letter for each death."""
    plugin, plan = plugin_plans.make(folder, "deadly", source=DEADLY)
    return plugin, plan, folder / "deaths"
