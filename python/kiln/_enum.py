# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The base class of the API's enums."""

import enum


class ApiEnum(enum.IntEnum):
    """An enum whose members are numbers and print as ``DataType.FLOAT``."""

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}.{self.name}: {self.value}>"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)
