# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes the parts of the Python bindings that name every layer, for the build of python/.

    make_network_bindings.py <output folder>

network_enums.cpp  the enums of networks and layers, with the members of the headers
network_names.cpp  the names of all classes of layers and of all methods that add layers: Python
                   refuses those that nothing binds
"""

import re
import sys
from pathlib import Path

from network_header import Enum, adders, enums, layer_classes, python_name, write_generated

SOURCE = """\
#include "bindings.h"

namespace kiln::python {

void %s(py::module_& m) {
%s}

} // namespace kiln::python
"""
# Members whose Python name has other words.
MEMBERS = {("LayerType", "KVCACHE_UPDATE"): "KV_CACHE_UPDATE"}


def documentation(enum: Enum) -> str:
    """The text of the header with the names of Python."""
    text = re.sub(r"::(\w+)\(\)", lambda match: f".{python_name(match[1])}", enum.text)
    return re.sub(r"\bk([A-Z][A-Z_]+)\b", r"\1", text)


def definition(enum: Enum) -> str:
    """The call that makes the class of an enum."""
    members = [(MEMBERS.get((enum.name, one), one), one) for one in enum.members]
    rows = "".join(f'            {{"{name}", E::k{one}}},\n' for name, one in members)
    return f"""\
    {{
        using E = nvinfer1::{enum.name};
        defineEnum<E>(m, "{enum.name}", "{documentation(enum)}", {{
{rows}        }});
    }}
"""


def names(function: str, values: list[str]) -> str:
    """The definition of a function that returns a list of names."""
    rows = "".join(f'            "{name}",\n' for name in values)
    return (
        f'    m.def("{function}", [] {{\n        return std::vector<std::string>{{\n{rows}'
        "        };\n    });\n"
    )


def main() -> int:
    """Writes the files."""
    folder = Path(sys.argv[1])
    write_generated(
        folder / "network_enums.cpp",
        SOURCE % ("initEnumsNetwork", "".join(map(definition, enums()))),
    )
    methods = list(dict.fromkeys(python_name(adder.name) for adder in adders()))
    lists = names("_network_adders", methods) + names("_layer_classes", layer_classes())
    write_generated(
        folder / "network_names.cpp",
        "#include <string>\n#include <vector>\n\n#include <pybind11/stl.h>\n\n"
        + SOURCE % ("initNetworkNames", lists),
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
