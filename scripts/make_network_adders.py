# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes the C++ that names every add function of INetworkDefinition, for the build of src/api/.

    make_network_adders.py <output folder> <source of a layer>...

network_adders.inc   the overrides, for the body of the class NetworkDefinition
refused_adders.cpp   those overrides that no source defines: they report what is not supported
refused_calls.inc    a call of each of these, for tests/api/
"""

import re
import sys
from pathlib import Path

from network_header import Adder, adders, definitions, write_generated

SOURCE = """\
#include "api/network.h"

namespace kiln::api {
%s
} // namespace kiln::api
"""


def qualified(cpp_type: str) -> str:
    """A type with the namespace of the API."""
    return re.sub(r"\b(?=[A-Z])", "nvinfer1::", cpp_type)


def signature(adder: Adder, scope: str = "") -> str:
    """The declaration of an add function up to noexcept; parameters have no names."""
    parameters = ", ".join(map(qualified, adder.parameters))
    return f"{qualified(adder.result)}* {scope}{adder.name}({parameters}) noexcept"


def refusal(adder: Adder) -> str:
    """The definition of an unsupported add function."""
    return f"""
{signature(adder, "NetworkDefinition::")} {{
    reporter_.refuse("INetworkDefinition::{adder.name}");
    return nullptr;
}}
"""


def call(adder: Adder) -> str:
    """A call with arguments of exactly the parameters' types, to choose among overloads."""
    arguments = ", ".join(f"argument<{qualified(one)}>()" for one in adder.parameters)
    return f'expectRefused(network->{adder.name}({arguments}), "{adder.name}");\n'


def main() -> int:
    """Writes the files."""
    folder = Path(sys.argv[1])
    defined = set().union(*(definitions(Path(name).read_text()) for name in sys.argv[2:]))
    known = adders()
    refused = [adder for adder in known if (adder.name, adder.parameters) not in defined]
    overrides = "".join(f"{signature(adder)} override;\n" for adder in known)
    write_generated(folder / "api" / "network_adders.inc", overrides)
    write_generated(folder / "refused_adders.cpp", SOURCE % "".join(map(refusal, refused)))
    write_generated(folder / "refused_calls.inc", "".join(map(call, refused)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
