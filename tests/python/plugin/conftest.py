# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
import sys
from pathlib import Path

# This folder is not a package; it holds helpers of its tests.
sys.path.insert(0, str(Path(__file__).parent))
