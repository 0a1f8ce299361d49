# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""``python -m kiln`` and the console command ``kiln``."""

import sys

from kiln.cli import main

if __name__ == "__main__":
    sys.exit(main())
