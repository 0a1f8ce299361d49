# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of serving share."""

import sys
from pathlib import Path

# This folder is no package; it holds helpers of the tests.
sys.path.insert(0, str(Path(__file__).parent))
