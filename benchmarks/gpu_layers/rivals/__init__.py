# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The table of run_rivals.py."""

from rivals import extra, moves, numbers, products

ROWS = moves.ROWS + numbers.ROWS + products.ROWS + extra.ROWS
