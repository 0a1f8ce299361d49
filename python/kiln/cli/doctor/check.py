# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""One line of ``kiln doctor``, and the commands that it proposes."""

import os
import shutil
from dataclasses import dataclass

OK = "ok"
MISSING = "missing"
PROBLEM = "problem"

_INSTALLERS = {
    "apt-get": "apt-get install",
    "dnf": "dnf install",
    "zypper": "zypper install",
    "pacman": "pacman -S",
    "apk": "apk add",
}
_WHEELS = {
    13: '"nvidia-cuda-nvrtc~=13.0.0" "nvidia-cublas~=13.0" "nvidia-cudnn-cu13~=9.0"',
    12: "nvidia-cuda-nvrtc-cu12 nvidia-cublas-cu12 nvidia-cudnn-cu12",
}


@dataclass
class Check:
    """What was looked for, what was found, and the line to type if it is not right."""

    group: str
    name: str
    status: str
    found: str
    remedy: str = ""  # a command of the shell
    needed: bool = False  # the target cannot be used without it

    @property
    def fails(self) -> bool:
        """Whether the target cannot be used because of this."""
        return self.needed and self.status != OK


def system_package(name: str) -> str:
    """The line that installs a package of the system, with the installer that is there."""
    found = (command for program, command in _INSTALLERS.items() if shutil.which(program))
    command = next(found, _INSTALLERS["apt-get"])
    # An administrator needs no sudo, and images for containers have none.
    return f"{'' if os.geteuid() == 0 else 'sudo '}{command} {name}"


def cuda_libraries(driver: int = 13) -> str:
    """The line that installs NVRTC, cuBLASLt and cuDNN for a driver of CUDA 12 or 13."""
    import importlib.metadata

    if driver >= 13:
        try:
            importlib.metadata.version("kilnrt")
            return 'pip install "kilnrt[cuda13]"'  # the package is there, so pip adds the rest
        except importlib.metadata.PackageNotFoundError:
            pass  # Kiln is used from its source tree
    return f"pip install {_WHEELS[13 if driver >= 13 else 12]}"
