# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""``kiln config``: folders that C++ builds need."""

import argparse
from pathlib import Path

import kiln
from kiln.cli.arguments import Commands, print_json

FOLDERS = {
    "cmakedir": ("lib/cmake/Kiln", "for CMake: -DKiln_DIR=..."),
    "includedir": ("include", "the headers"),
    "libdir": ("lib", "the libraries"),
    "compatdir": ("lib/kiln/compat", "libraries under the original's names, such as libnvinfer.so"),
    "cudartdir": (
        "lib/kiln/cudart",
        "libcudart.so over host memory, and include/ with its headers",
    ),
}


def add(commands: Commands) -> None:
    """Declares the command."""
    command = commands.add_parser("config", help="print folders for C++ builds")
    group = command.add_mutually_exclusive_group(required=True)
    for name, (path, text) in FOLDERS.items():
        group.add_argument(f"--{name}", dest="path", action="store_const", const=path, help=text)
    group.add_argument("--json", action="store_true", help="print all folders as JSON")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints one folder, or all as JSON."""
    package = Path(kiln.__file__).parent
    if arguments.json:
        print_json({name: str(package / path) for name, (path, _) in FOLDERS.items()})
    else:
        print(package / arguments.path)
    return 0
