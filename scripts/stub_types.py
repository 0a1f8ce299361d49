# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Types that are missing from the C++ signatures, for make_stubs.py."""

import ast
from pathlib import Path

CALLBACKS = Path(__file__).with_name("callbacks.pyi")
ARRAY = "numpy.ndarray[typing.Any, typing.Any]"
INTEGERS = f"collections.abc.Sequence[typing.SupportsIndex] | {ARRAY}"
PLUGIN_PARTS = (
    "tuple[collections.abc.Sequence[ITensor], collections.abc.Sequence[ITensor], IPluginV3]"
)
# Types that a caller may pass for a parameter type, because of implicit conversions.
PARAMETERS = {
    "Dims": f"Dims | {INTEGERS}",
    "Permutation": f"Permutation | {INTEGERS}",
    "collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]": INTEGERS,
    "FallbackString": "FallbackString | str | bytes",
    "PluginFieldCollection_": "PluginFieldCollection_ | PluginFieldCollection",
    "numpy.ndarray": ARRAY,
    "Weights | numpy.ndarray": f"Weights | {ARRAY}",
    "Weights | numpy.ndarray | None": f"Weights | {ARRAY} | None",
    "typing_extensions.CapsuleType": "typing.Any",
    "typing.SupportsInt | typing.SupportsIndex": "int",
    "typing.SupportsInt | typing.SupportsIndex | None": "int | None",
    "typing.SupportsFloat | typing.SupportsIndex": "float",
}
# Result types that are missing from the C++ signatures, such as classes that are bound after the
# function.
RESULTS = {
    "buffer": "Buffer",  # kiln's class, not collections.abc.Buffer
    "nptype": "type[typing.Any]",
    "Buffer.__array__": ARRAY,
    "Builder.get_plugin_registry": "IPluginRegistry",
    "Dims.__iter__": "collections.abc.Iterator[int]",
    "EngineInspector.execution_context": "IExecutionContext | None",
    "IExecutionContext.engine": "ICudaEngine",
    "INetworkDefinition.builder": "Builder",
    "IPluginRegistry.acquire_plugin_resource": "_Resource",
    "IPluginRegistry.get_plugin_creator": "IPluginCreator",
    "IPluginRegistry.plugin_creator_list": "list[IPluginCreator]",
    "IPluginV2Layer.plugin": "IPluginV2",
    "IPluginV3Layer.plugin": "IPluginV3",
    "ITensor.dynamic_range": "tuple[float, float] | None",
    "OnnxParser.supports_model": "tuple[bool, list[tuple[list[int], bool]]]",
    "Runtime.get_plugin_registry": "IPluginRegistry",
}
# Types of parameters that accept any object in C++.
ARGUMENTS = {
    "EngineInspector.execution_context": "IExecutionContext | None",
    "INetworkDefinition.add_plugin.func": (
        f"collections.abc.Callable[[QuickPluginCreationRequest], {PLUGIN_PARTS}]"
    ),
    "INetworkDefinition.add_plugin.tuple": PLUGIN_PARTS,
    "INetworkDefinition.add_plugin_v2.plugin": "IPluginV2",
    "INetworkDefinition.add_plugin_v3.plugin": "IPluginV3",
    "IPluginRegistry.acquire_plugin_resource.resource": "_Resource | None",
    "IPluginRegistry.deregister_creator.creator": "IPluginCreatorInterface",
    "IPluginRegistry.error_recorder": "IErrorRecorder | None",
    "IPluginRegistry.register_creator.creator": "IPluginCreatorInterface",
    "OnnxParser.__init__.network": "INetworkDefinition",
    "init_libnvinfer_plugins.logger": "ILogger | None",
    "set_default_logger.logger": "ILogger | None",
}
# Complete types for generic types that the signatures name without arguments.
ELEMENTS = {
    "dict": "dict[str, typing.Any]",
    "list": "list[typing.Any]",
    "os.PathLike": "os.PathLike[str]",
    "tuple": "tuple[int, ...]",
}
# Element types of the iterables that a class takes.
PARTS = {
    "DimsExprs": "IDimensionExpr | typing.SupportsIndex",
    "PluginFieldCollection": "PluginField",
}
# acquire_plugin_resource returns an object of the type that it was given.
TYPE_VARIABLES = """_Resource = typing.TypeVar("_Resource", bound="IPluginResource")"""


def expression(text: str) -> ast.expr:
    """Parses an expression."""
    return ast.parse(text, mode="eval").body


class Completer(ast.NodeTransformer):
    """Adds the missing arguments of generic types."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.Subscript:
        """Keeps a type that has arguments, and completes the arguments."""
        node.slice = self.visit(node.slice)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Completes a type such as list."""
        return expression(ELEMENTS.get(node.id, node.id))

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Completes a type such as os.PathLike."""
        text = ast.unparse(node)
        return expression(ELEMENTS.get(text, text))


class Unqualifier(ast.NodeTransformer):
    """Removes the prefix trt from names."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Changes trt.Dims to Dims."""
        own = isinstance(node.value, ast.Name) and node.value.id == "trt"
        return ast.Name(node.attr) if own else node


Callbacks = dict[tuple[str, bool], ast.FunctionDef]  # key: name, whether it is a setter


def read_callbacks() -> dict[str, Callbacks]:
    """Returns the callbacks of each class in callbacks.pyi."""
    tree = Unqualifier().visit(ast.parse(CALLBACKS.read_text()))
    return {
        node.name: {(item.name, is_setter(item)): item for item in functions_of(node)}
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }


def functions_of(node: ast.ClassDef) -> list[ast.FunctionDef]:
    """Returns the methods and properties of a class."""
    return [item for item in node.body if isinstance(item, ast.FunctionDef)]


def or_none(annotation: ast.expr) -> ast.expr:
    """Returns the union of a type and None."""
    text = ast.unparse(annotation)
    return annotation if "None" in text else expression(f"{text} | None")


def is_setter(node: ast.FunctionDef) -> bool:
    """Whether a function is the setter of a property."""
    return any(isinstance(d, ast.Attribute) and d.attr == "setter" for d in node.decorator_list)
