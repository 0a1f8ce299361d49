# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds the plan file of a model, and says why it cannot be opened here."""

import copy
import hashlib
import os
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import kiln
from kiln.serve.config import ModelConfig
from kiln.serve.request import LoadError

# Bytes of a plan's header with its section table, which holds a hash of each section.
_HEADER = 224
# Plans whose description is remembered, by what tells that a file was changed or replaced.
_REMEMBERED = 256
_DESCRIBED: "dict[tuple[int, ...], dict[str, Any]]" = {}
_LOCK = threading.Lock()


@dataclass(frozen=True)
class PlanFile:
    """A plan on this machine.

    version: of the model; '1' unless the plan came from a folder of versions. digest: equal for
    equal plans, and only for these. description: what kiln.describe_plan said. versions: those
    that could have been chosen.
    """

    path: Path
    name: str
    version: str
    digest: str
    description: "dict[str, Any]" = field(repr=False)
    versions: "tuple[str, ...]" = ("1",)


def find(config: ModelConfig) -> PlanFile:
    """The plan file that a configuration names.

    Bytes are written to a file, once on each machine. Raises LoadError if there is no such file,
    or it is no plan that this build can read on this machine. Plugins are not looked for.
    """
    versions: tuple[str, ...] = ("1",)
    version = config.version or "1"
    if isinstance(config.plan, bytes):
        path = store(config.plan)
        name = config.name
    else:
        path = Path(str(config.plan).replace("{rank}", "0") if config.ranks > 1 else config.plan)
        name = config.name or path.name.removesuffix(path.suffix if path.is_file() else "")
        if path.is_dir():
            versions = tuple(versions_in(path))
            version = _chosen(path, versions, config.version)
            path = _only_plan(path / version)
        elif not path.is_file():
            raise LoadError(
                f"[serve] plan: expected a plan file or a folder of versions, got '{path}', which "
                "does not exist on this machine. Copy it here, or pass the bytes of the plan."
            )
        elif version != "1":
            raise LoadError(
                f"[serve] version: expected none for the single plan file '{path}', got "
                f"'{version}'. Versions are numbered subfolders: give their folder as the plan."
            )
    try:
        description = _described(path)
        digest = _digest(path)
    except OSError as error:
        raise LoadError(f"[serve] plan: '{path}' cannot be read: {error}") from error
    check(path, description)
    if config.target is not None and config.target != description["target"]:
        raise LoadError(
            f"[serve] plan '{path}': expected one for the target {config.target}, got one for "
            f"{description['target']}. Build it for {config.target}, or leave target out."
        )
    return PlanFile(
        path, name or description.get("network") or "model", version, digest, description, versions
    )


def versions_in(folder: Path) -> list[str]:
    """The versions in a folder, highest first: its subfolders whose names are whole numbers."""
    names = (entry.name for entry in folder.iterdir() if entry.is_dir())
    return sorted((name for name in names if name.isdecimal() and name.isascii()), key=_order)


def _order(name: str) -> tuple[int, str]:
    return -int(name), name  # 01 and 1 are two folders


def _chosen(folder: Path, versions: "tuple[str, ...]", wanted: "str | None") -> str:
    if not versions:
        raise LoadError(
            f"[serve] plan: expected subfolders with whole numbers as names in '{folder}', got "
            "none. Put the plan into the subfolder 1."
        )
    if wanted is None:
        return versions[0]
    if wanted not in versions:
        raise LoadError(
            f"[serve] version: expected one of {', '.join(versions)} in '{folder}', got "
            f"'{wanted}'. Leave it out for the highest."
        )
    return wanted


def _only_plan(folder: Path) -> Path:
    files = sorted(p for p in folder.iterdir() if p.is_file() and not p.name.startswith("."))
    plans = [p for p in files if p.suffix in (".plan", ".engine", ".trt")] or files
    if len(plans) != 1:
        found = ", ".join(p.name for p in plans) or "none"
        raise LoadError(
            f"[serve] plan: expected one plan file in '{folder}', got {found}. Each version has a "
            "folder of its own."
        )
    return plans[0]


def check(path: Path, description: "dict[str, Any]") -> None:
    """Raises LoadError if a plan cannot be opened by this build on this machine, plugins aside."""
    problems = [p for p in description["problems"] if p["kind"] != "plugin"]
    if not problems:
        return
    kinds = {problem["kind"] for problem in problems}
    texts = "\n".join(problem["text"] for problem in problems)
    if "version" in kinds:
        written = description.get("kiln_version", "unknown")
        raise LoadError(
            f"[serve] plan '{path}': it was built by Kiln {written}, and this machine has Kiln "
            f"{kiln.kiln_version}. Install the same version on every machine, or build the plan "
            f"again: {texts}"
        )
    raise LoadError(f"[serve] plan '{path}' cannot be opened on this machine: {texts}")


def _described(path: Path) -> "dict[str, Any]":
    """What kiln.describe_plan says, which reads the whole file: once while the file is the same."""
    facts = path.stat()
    key = (
        *(facts.st_dev, facts.st_ino, facts.st_size),
        *(facts.st_mtime_ns, facts.st_ctime_ns),
    )
    with _LOCK:
        found = _DESCRIBED.get(key)
    if found is None:
        found = kiln.describe_plan(path)
        with _LOCK:
            if len(_DESCRIBED) >= _REMEMBERED:
                _DESCRIBED.clear()
            _DESCRIBED[key] = found
    return copy.deepcopy(found)


def _digest(path: Path) -> str:
    """A hash of the header, which has the hashes of all sections: no need to read the weights."""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read(_HEADER)).hexdigest()


def store(plan: bytes) -> Path:
    """Writes a plan to a private folder of this machine; equal bytes share one file.

    The folder is in that of temporary files (``TMPDIR``), so that plans do not pile up for ever.
    Processes that open the file share its memory.
    """
    folder = _private_folder()
    path = folder / f"{hashlib.sha256(plan).hexdigest()[:32]}.plan"
    if path.is_file() and path.stat().st_size == len(plan):
        return path
    handle, temporary = tempfile.mkstemp(dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(plan)
        os.replace(temporary, path)  # atomic: readers see all of it or nothing
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return path


def _private_folder() -> Path:
    """A folder that nobody else can write to, so that nobody can exchange a plan."""
    folder = Path(tempfile.gettempdir()) / f"kiln-plans-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    facts = folder.lstat()
    is_private = folder.is_dir() and not folder.is_symlink() and facts.st_mode & 0o077 == 0
    if facts.st_uid != os.getuid() or not is_private:
        raise LoadError(
            f"[serve] plan: expected that '{folder}' is a folder of this user alone, with mode "
            "0700, for plans that come as bytes. Remove it, or set TMPDIR to another folder."
        )
    return folder
