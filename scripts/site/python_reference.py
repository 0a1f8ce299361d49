# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Pages about the names in Python, from the stubs of the bindings and the sources of the modules.

Nothing is imported, so the site builds without the library.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from words import Page, prose

# Page, title, the class names on it. The first expression that matches decides.
TOPICS = [
    ("enums", "Enumerations", r"(?!)"),  # every class that derives from ApiEnum
    ("layers", "Layers", r"I\w*Layer|ILayer|IAttention|IIfConditional|ILoop"),
    ("network", "Networks", r"INetworkDefinition|ITensor|Permutation|Weights"),
    (
        "builder",
        "Builder and configuration",
        r"Builder|IBuilderConfig|IOptimizationProfile|I(Int8)?\w*Calibrator\w*|IAlgorithm\w*"
        r"|\w*TimingCache\w*|IProgressMonitor",
    ),
    ("onnx", "ONNX parser", r"\w*Parser\w*|SubGraphCollection|NodeIndices"),
    (
        "plugins",
        "Plugins as classes",
        r"\w*Plugin\w*|IDimensionExpr|DimsExprs|IExprBuilder|ISymExprs?|KernelLaunchParams"
        r"|FallbackString",
    ),
    (
        "runtime",
        "Runtime, engines, contexts",
        r"Runtime|ICudaEngine|IExecutionContext|EngineInspector|Refitter|\w*Allocator"
        r"|IHostMemory|IDebugListener|I?Profiler|I\w+Config|IStream\w+",
    ),
    ("data", "Data, shapes, logs", r".*"),
]
# Modules whose names the package has as its own.
PLACES = {
    "_device_array": {"DeviceArray"},
    "_host_cudart": {"use_host_cudart"},
    "_onnx_parts": {"NodeIndices", "SubGraphCollection"},
    "_show": {"show"},
}
MODULES = [("plugin", "Decorated plugins"), ("aot", "Ahead of time"), ("report", "Reports")]
LEFT_OUT = re.compile(r"_(?!_init__$)")


def pages(root: Path) -> dict[str, Page]:
    """The pages by name. root: the tree."""
    package = root / "python" / "kiln"
    stub = ast.parse((package / "_core.pyi").read_text())
    classes = [node for node in stub.body if isinstance(node, ast.ClassDef)]
    public = [node for node in classes if not node.name.startswith("_")]
    place = {node.name: topic_of(node) for node in public}
    links = {name: f"{topic}.md#tensorrt.{name}" for name, topic in place.items()}
    result = {name: Page(f"Python: {title}") for name, title, _ in TOPICS}
    for page in result.values():
        page.intro = "Names of the module `tensorrt`, which is the module `kiln`."
    for node in sorted(public, key=lambda node: node.name):
        write_class(result[place[node.name]], node, "tensorrt", links)
    functions = Page("Python: functions", "Functions of the module, and what Kiln adds to the API.")
    init = ast.parse((package / "__init__.py").read_text())
    found = [*stub.body, *init.body]
    for path, names in PLACES.items():
        found += named(ast.parse((package / f"{path}.py").read_text()), names)
    write_all(functions, found, "tensorrt", links, of_stub=set(place))
    result["functions"] = functions
    for module, title in MODULES:
        result[module] = module_page(package / module, title, links)
    return result


def topic_of(node: ast.ClassDef) -> str:
    """The page of a class."""
    if any("ApiEnum" in ast.unparse(base) for base in node.bases):
        return "enums"
    return next(name for name, _, names in TOPICS if re.fullmatch(names, node.name))


def module_page(folder: Path, title: str, links: Mapping[str, str]) -> Page:
    """The page of a module whose __init__ imports its names from others."""
    tree = ast.parse((folder / "__init__.py").read_text())
    name = f"tensorrt.{folder.name}" if folder.name == "plugin" else f"kiln.{folder.name}"
    page = Page(
        f"Python: {title.lower()} ({name})", prose(ast.get_docstring(tree) or "", (), links)
    )
    found: list[ast.stmt] = []
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module:
            names = {alias.name for alias in statement.names}
            found += resolved(folder, statement.module, names)
    write_all(page, found, name, links, of_stub=set())
    return page


def resolved(folder: Path, module: str, names: set[str]) -> list[ast.stmt]:
    """Definitions of names that a module imports, also through a second module."""
    path = folder / (module.rsplit(".", 1)[1] + ".py")
    if not path.exists():
        return []
    tree = ast.parse(path.read_text())
    found = named(tree, names)
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("kiln."):
            inner = {alias.name for alias in statement.names} & names
            if inner:
                found += resolved(folder, str(statement.module), inner)
    return found


def named(tree: ast.Module, names: set[str]) -> list[ast.stmt]:
    """The classes and functions of these names."""
    kinds = (ast.ClassDef, ast.FunctionDef)
    return [node for node in tree.body if isinstance(node, kinds) and node.name in names]


def write_all(
    page: Page, nodes: list[ast.stmt], scope: str, links: Mapping[str, str], of_stub: set[str]
) -> None:
    """Writes public functions and classes, sorted by name; of_stub: classes to leave out."""
    public = [
        node
        for node in nodes
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
        and not node.name.startswith("_")
        and node.name not in of_stub
    ]
    for node in sorted(public, key=lambda node: node.name):
        if isinstance(node, ast.ClassDef):
            write_class(page, node, scope, links)
        else:
            write_function(page, node, 2, scope, links)


def write_class(page: Page, node: ast.ClassDef, scope: str, links: Mapping[str, str]) -> None:
    """Writes a class with its members."""
    anchor = f"{scope}.{node.name}"
    page.heading(2, node.name, anchor)
    bases = [ast.unparse(base).removeprefix("kiln._enum.") for base in node.bases]
    if bases and bases != ["ApiEnum"]:
        shown = ", ".join(f"[{b}]({links[b]})" if b in links else f"`{b}`" for b in bases)
        page.parts.append(f"Derives from {shown}.")
    page.parts.append(prose(ast.get_docstring(node) or "", arguments_of_init(node), links))
    members = [ast.unparse(item) for item in node.body if is_value(item)]
    if members:
        page.code("python", "\n".join(members))
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and not LEFT_OUT.match(member.name):
            write_function(page, member, 3, anchor, links)


def is_value(item: ast.stmt) -> bool:
    """Whether a statement of a class gives a public name a value or type."""
    if isinstance(item, ast.AnnAssign):
        return isinstance(item.target, ast.Name) and not item.target.id.startswith("_")
    return isinstance(item, ast.Assign) and not ast.unparse(item).startswith("_")


def arguments_of_init(node: ast.ClassDef) -> list[str]:
    """The names of the constructor's arguments, which the class's own text may explain."""
    functions = [item for item in node.body if isinstance(item, ast.FunctionDef)]
    return [name for f in functions if f.name == "__init__" for name in arguments(f)]


def arguments(node: ast.FunctionDef) -> Iterator[str]:
    """The names of the arguments."""
    given = node.args
    for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
        if argument is not None and argument.arg != "self":
            yield argument.arg


def write_function(
    page: Page, node: ast.FunctionDef, level: int, scope: str, links: Mapping[str, str]
) -> None:
    """Writes a function, a method or a property; a setter adds nothing."""
    decorators = {ast.unparse(decorator) for decorator in node.decorator_list}
    if any(decorator.endswith((".setter", ".deleter")) for decorator in decorators):
        return
    text = ast.get_docstring(node) or ""
    anchor = f"{scope}.{node.name}"
    if node.name == "__init__":
        if not text:
            return
        title = scope.rsplit(".", 1)[-1] + "()"
    else:
        title = f"{node.name}" if "property" in decorators else f"{node.name}()"
    again = anchor in page.anchors  # another overload
    if not again:
        page.heading(level, title, anchor)
    if "property" in decorators:
        if node.returns is not None:
            page.code("python", f"{node.name}: {ast.unparse(node.returns)}")
    else:
        page.code("python", signature(node, scope.rsplit(".", 1)[-1], decorators))
    page.parts.append(prose(text, arguments(node), links))


def signature(node: ast.FunctionDef, owner: str, decorators: set[str]) -> str:
    """The call, in several lines if it is long."""
    given = ast.parse(ast.unparse(node.args).join(("def f(", "): pass"))).body[0]
    assert isinstance(given, ast.FunctionDef)
    given.args.args = [argument for argument in given.args.args if argument.arg != "self"]
    name = owner if node.name == "__init__" else node.name
    kind = "@staticmethod\n" if "staticmethod" in decorators else ""
    returns = f" -> {ast.unparse(node.returns)}" if node.returns and name != owner else ""
    line = f"{name}({ast.unparse(given.args)}){returns}"
    if len(line) > 90:
        parts = re.split(r", (?=[\w*]+(?:: |=|$)|\*,|/)", ast.unparse(given.args))
        line = f"{name}(\n    " + ",\n    ".join(parts) + f",\n){returns}"
    return kind + line
