# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The 1,797 handwritten digits. Origin and licence: PROVENANCE.md.

As a program, it writes raw files for programs that cannot read npz (trtexec, C++):
    python dataset.py FOLDER   ->   FOLDER/digits.f32, FOLDER/digits.f16, FOLDER/labels.u8
"""

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

FILE = Path(__file__).with_name("digits.npz")


def load() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """Returns images [1797, 1, 8, 8] as float32 in 0..1, and labels [1797] as int64 in 0..9."""
    with np.load(FILE) as data:
        images = data["images"].astype(np.float32) / 16
        return images[:, np.newaxis], data["labels"].astype(np.int64)


def write_raw(folder: Path) -> None:
    """Writes images (float and half) and labels (one byte each) without any header."""
    images, labels = load()
    folder.mkdir(parents=True, exist_ok=True)
    images.tofile(folder / "digits.f32")
    images.astype(np.float16).tofile(folder / "digits.f16")
    labels.astype(np.uint8).tofile(folder / "labels.u8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python dataset.py FOLDER")
    write_raw(Path(sys.argv[1]))
