# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The base class of the API's enums."""

import enum
from typing import Any


class _Entries:
    """Names and members, as pybind11's enums have them in the attribute ``__entries``."""

    def __get__(self, instance: object, owner: "type[enum.Enum]") -> "dict[str, tuple[Any, None]]":
        return {name: (member, None) for name, member in owner.__members__.items()}


class ApiEnum(enum.IntEnum):
    """An enum whose members are numbers and print as ``DataType.FLOAT``."""

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}.{self.name}: {self.value}>"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


setattr(ApiEnum, "__entries", _Entries())  # in the class body, Python would mangle the name
