# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Of all tests: float32 on a GPU is not rounded to TF32, so that results have one tolerance."""

import os

os.environ.setdefault("NVIDIA_TF32_OVERRIDE", "0")
