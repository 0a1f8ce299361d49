# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A wheel with what build/ has, installed by pip into an empty environment and used there.

`make wheels` does the same with the wheels that users get, for every Python; this takes seconds.
"""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
TAG = f"cp{sys.version_info[0]}{sys.version_info[1]}"
pytestmark = pytest.mark.xdist_group("wheel")  # the tests share one
# What the package requires comes from this environment: pip needs no network.
REQUIRED = ("numpy", "numpy.libs", "rich", "pygments", "markdown_it", "mdurl")
DATA = "kilnrt-{version}.data/data"


def run(*command, **options):
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=240, **options
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel: the install rules of the build, the package's files, and its real metadata."""
    backend = pytest.importorskip("scikit_build_core.build", reason="see requirements/build.txt")
    if not (BUILD / "cmake_install.cmake").is_file():
        pytest.skip("there is no build/")
    content = tmp_path_factory.mktemp("content")
    package = content / "kiln"
    install = ("cmake", "--install", BUILD, "--prefix", package, "--strip")
    run(*install)
    run(*install, "--component", "kiln_python")
    shutil.rmtree(package / "share")
    shutil.copytree(
        ROOT / "python" / "kiln",
        package,
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        info = backend.prepare_metadata_for_build_wheel(str(content), {})
    finally:
        os.chdir(before)
    version = info.removeprefix("kilnrt-").removesuffix(".dist-info")
    share = content / DATA.format(version=version) / "share"
    shutil.copytree(ROOT / "packaging" / "shell" / "man", share / "man" / "man1")
    return pack(content, info, tmp_path_factory.mktemp("wheel"))


def pack(content, info, folder):
    """Writes the archive with its list of hashes. Stored, because compression takes seconds."""
    tag = f"{TAG}-{TAG}-linux_x86_64"
    (content / info / "WHEEL").write_text(
        f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: {tag}\n"
    )
    record = content / info / "RECORD"
    record.unlink(missing_ok=True)
    files = sorted(file for file in content.rglob("*") if file.is_file())
    lines = []
    for file in files:
        hashed = base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest())
        name = file.relative_to(content).as_posix()
        lines.append(f"{name},sha256={hashed.decode().rstrip('=')},{file.stat().st_size}\n")
    record.write_text("".join(lines) + f"{info}/RECORD,,\n")
    path = folder / f"{info.removesuffix('.dist-info')}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for file in (*files, record):
            archive.write(file, file.relative_to(content))
    return path


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """An environment with the wheel and the drop-in module, and its variables without compilers."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("lib/python3.*/site-packages")
    here = Path(pytest.__file__).parents[1]
    for name in REQUIRED:
        for found in (*here.glob(name), *here.glob(f"{name}-*.dist-info")):
            (packages / found.name).symlink_to(found)
    pip = (sys.executable, "-m", "pip", "--python", folder / "bin" / "python")
    options = ("--quiet", "--no-index", "--no-deps", "--disable-pip-version-check")
    run(*pip, "install", *options, wheel)
    shutil.copytree(ROOT / "packaging" / "tensorrt" / "src" / "tensorrt", packages / "tensorrt")
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("KILN_", "PYTHON", "LD_"))}
    own = {"PATH": str(folder / "bin"), "KILN_TARGET": "cpu", "PYTHONNOUSERSITE": "1"}
    return folder, {**kept, **own}


def test_the_wheel_is_used_without_a_compiler(environment, tmp_path):
    folder, variables = environment
    program = Path(__file__).with_name("try_wheel.py")
    said = run(folder / "bin" / "python", program, tmp_path, env=variables, cwd=tmp_path)
    assert said == "wheel: models, plugins, trtexec and commands work without a compiler\n"


def test_the_server_says_what_is_missing(environment, tmp_path):
    folder, variables = environment
    options = {"env": variables, "cwd": tmp_path}
    assert "usage: kiln serve" in run(folder / "bin" / "kiln", "serve", "--help", **options)
    done = subprocess.run(
        [folder / "bin" / "kiln", "serve", "any.plan"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,
    )
    assert done.returncode == 2
    assert "Install it: pip install 'kilnrt[serve]'" in done.stderr


def test_the_extra_serve_is_what_the_tests_use(environment):
    """pip install "kilnrt[serve]" takes the versions of requirements/serve.txt, or later ones."""
    requirements = pytest.importorskip("packaging.requirements")
    folder, _ = environment
    (metadata,) = folder.glob("lib/python3.*/site-packages/kilnrt-*.dist-info/METADATA")
    extra = [
        requirements.Requirement(line.removeprefix("Requires-Dist: "))
        for line in metadata.read_text().splitlines()
        if line.startswith("Requires-Dist: ") and 'extra == "serve"' in line.replace("'", '"')
    ]
    lines = (ROOT / "requirements" / "serve.txt").read_text().splitlines()
    pinned = [requirements.Requirement(line) for line in lines if line and line[0] != "#"]
    versions = {item.name: str(item.specifier).removeprefix("==") for item in pinned}
    assert {item.name for item in extra} == {"ray", "orjson"}
    for item in extra:
        (least,) = [s.version for s in item.specifier if s.operator == "~="]
        assert item.specifier.contains(versions[item.name])
        assert versions[item.name].startswith(least)
        assert item.extras >= next(p.extras for p in pinned if p.name == item.name)


def test_nothing_of_the_tree_is_in_it(environment):
    folder, _ = environment
    (package,) = folder.glob("lib/python3.*/site-packages/kiln")
    for file in (*package.glob("*.so"), *package.rglob("lib/*.so"), package / "bin" / "trtexec"):
        assert bytes(BUILD) not in file.read_bytes(), file


def test_the_doctor_finds_one_installation(environment, tmp_path):
    folder, variables = environment
    said = run(folder / "bin" / "kiln", "doctor", env=variables, cwd=tmp_path)
    assert "ok      kiln " in said and "ok      import tensorrt " in said
    # A package of another version beside it, as after a half-finished change.
    beside = tmp_path / "kilnrt-0.0.1.dist-info"
    beside.mkdir()
    (beside / "METADATA").write_text("Metadata-Version: 2.1\nName: kilnrt\nVersion: 0.0.1\n")
    changed = {**variables, "PYTHONPATH": str(tmp_path)}
    said = run(folder / "bin" / "kiln", "doctor", env=changed, cwd=tmp_path)
    assert "installed 2 times: 0.0.1 in " in said


def test_the_doctor_speaks_without_numpy(environment, tmp_path):
    folder, variables = environment
    (link,) = folder.glob("lib/python3.*/site-packages/numpy")
    target = link.readlink()
    link.unlink()
    try:
        done = subprocess.run(
            [folder / "bin" / "kiln", "doctor"],
            env=variables,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )
    finally:
        link.symlink_to(target)
    assert done.returncode == 1 and not done.stderr
    assert "problem a small engine" in done.stdout and "numpy" in done.stdout
