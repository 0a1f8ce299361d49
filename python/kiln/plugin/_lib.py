# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A module name of the API, for its clients: the registered plugins and the decorators."""

from kiln.plugin._define import aot_impl, autotune, impl, register
from kiln.plugin._plugin_def import PluginDef
from kiln.plugin._registry import QDP_CREATORS, QDP_REGISTRY, op

__all__ = [
    "QDP_CREATORS",
    "QDP_REGISTRY",
    "PluginDef",
    "aot_impl",
    "autotune",
    "impl",
    "op",
    "register",
]
