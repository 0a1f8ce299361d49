# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Colours of the families of operations: for a light page, and for a dark one.

They differ in lightness, too, so that those who see few colours tell them apart; words say the same
everywhere.
"""

LIGHT = {
    "convolution": "#2563eb",
    "product": "#7c3aed",
    "attention": "#a21caf",
    "normalization": "#0d9488",
    "pointwise": "#16a34a",
    "reduction": "#d97706",
    "quantization": "#b45309",
    "movement": "#64748b",
    "control": "#ca8a04",
    "plugin": "#e11d48",
    "input": "#334155",
    "output": "#334155",
}

DARK = {
    "convolution": "#60a5fa",
    "product": "#a78bfa",
    "attention": "#e879f9",
    "normalization": "#2dd4bf",
    "pointwise": "#4ade80",
    "reduction": "#fbbf24",
    "quantization": "#f59e0b",
    "movement": "#94a3b8",
    "control": "#facc15",
    "plugin": "#fb7185",
    "input": "#cbd5e1",
    "output": "#cbd5e1",
}
