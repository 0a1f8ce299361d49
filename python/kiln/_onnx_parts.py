# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What OnnxParser.supports_model tells about a model: lists with names of their own in the API."""


class NodeIndices(list[int]):
    """The nodes of one part of an ONNX model, by their places in the graph."""

    def __bool__(self) -> bool:
        return len(self) > 0


class SubGraphCollection(list[tuple[list[int], bool]]):
    """The parts of an ONNX model: the nodes of each, and whether they are supported."""

    def __bool__(self) -> bool:
        return len(self) > 0
