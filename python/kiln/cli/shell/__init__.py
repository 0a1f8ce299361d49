# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Completion scripts and manual pages of kiln and trtexec, written from their own options."""

LICENCE = (
    "SPDX-FileCopyrightText: Kiln contributors",
    "SPDX-License-Identifier: Apache-2.0",
)
