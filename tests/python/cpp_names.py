# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What a message for Python must not have: names that only C++ has."""

import re

import tensorrt as trt

VERBS = (
    "get|set|add|is|has|supports|enqueue|configure|mark|unmark|remove|create|deserialize|serialize|"
    "declare|attach|detach|on|execute|report|load|deregister|acquire|release|query|reallocate"
)
PATTERN = re.compile(rf"\bk[A-Z][A-Z0-9_]+\b|\b(?:{VERBS})[A-Z]\w*|\b(?:std|nvinfer1|[A-Z]\w*)::")


# A few names of the API in Python look like those of C++, such as ITimingCache.queryKeys.
OWN = {name for cls in vars(trt).values() if isinstance(cls, type) for name in dir(cls)}


def cpp_names(text: str) -> list[str]:
    """Enumerators, functions and scopes of C++ in a text."""
    return [name for name in PATTERN.findall(text) if name not in OWN]
