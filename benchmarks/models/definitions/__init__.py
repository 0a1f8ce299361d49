# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Networks as torch modules, in the sizes of their papers and in small ones for tests."""
