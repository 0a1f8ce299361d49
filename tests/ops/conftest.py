# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The case tables are modules of this folder, which is not a package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
