# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The documentation site: it has no dead link or anchor, and every name of the API."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("material", reason="not installed: requirements/docs.txt")

import tensorrt as trt
from kiln import report

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "site"))

import cpp_reference
import python_reference
import words

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "build" / "site"
pytestmark = pytest.mark.xdist_group("site")


@pytest.fixture(scope="module")
def site():
    """The folder of the site."""
    command = [sys.executable, str(ROOT / "scripts" / "site" / "build.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return SITE


def test_it_builds_without_dead_links(site):
    assert (site / "index.html").exists()
    assert (site / "reference" / "python" / "builder.html").exists()


def test_every_page_of_messages_is_in_the_navigation():
    text = (ROOT / "mkdocs.yml").read_text()
    listed = re.findall(r"^ +- \w+: messages/(\w+)\.md$", text, re.M)
    assert listed == sorted(page.stem for page in (ROOT / "docs" / "messages").glob("*.md"))


def test_dead_links_are_found(tmp_path):
    for folder in ("docs", "python", "include", "scripts", "examples", "benchmarks"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    (tmp_path / "docs").unlink()
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copy(ROOT / "CHANGELOG.md", tmp_path)
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    with open(tmp_path / "docs" / "index.md", "a") as page:
        page.write("[a](install.md#none) [b](../examples/none.py) [c](none.md)\n")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    for target in ("install.md#none", "source/examples/none.py.md", "none.md"):
        assert f"'{target}'" in done.stderr


def test_it_has_the_example_reports(site):
    """Pages of the stored descriptions, as the present library draws them."""
    text = (site / "report.html").read_text()
    for path in (ROOT / "docs" / "reports").glob("*.json"):
        page = (site / "reports" / f"{path.stem}.html").read_text()
        assert page == report.to_html(json.loads(path.read_text()))
        assert f'href="reports/{path.stem}.html"' in text


def test_the_page_for_absent_pages_needs_no_file(site):
    """A server shows it at any address, where relative addresses lead elsewhere."""
    text = (site / "404.html").read_text()
    assert re.findall(r'(?:src|href)="([^"]*)"', text) == ["/index.html"]


def test_headings_of_the_reference_have_their_anchors(site):
    text = (site / "reference" / "python" / "builder.html").read_text()
    assert re.search(r'id="tensorrt\.Builder\.__init__"', text)
    assert not re.search(r"<h\d[^>]*>[^\n]*\{ *#", text)


def test_nothing_comes_from_a_network(site):
    for page in ("index.html", "plugin-guide.html"):
        text = (site / page).read_text()
        assert not re.findall(r'(?:src|href)="https?://[^"]+\.(?:js|css|woff2?)"', text)


@pytest.mark.skipif(not shutil.which("chromium"), reason="not installed: chromium")
@pytest.mark.parametrize("query", ["supportsFormatCombination", "build_serialized_network"])
def test_search_works_from_disk(site, query, tmp_path):
    command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    command += [f"--user-data-dir={tmp_path}", "--virtual-time-budget=20000"]
    command.append(f"file://{site}/index.html?q={query}")
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert re.search(r"\d+ matching document", done.stdout), done.stdout[-2000:]


def test_the_python_reference_has_every_name():
    listed = {a for page in python_reference.pages(ROOT).values() for a in page.anchors}
    names = {name for name in dir(trt) if isinstance(getattr(trt, name), type)}
    own = {n for n in names if getattr(trt, n).__module__.startswith("kiln") and n[0] != "_"}
    missing = {n for n in own if f"tensorrt.{getattr(trt, n).__name__}" not in listed}
    assert len(own) > 150
    assert not missing
    assert {"tensorrt.Builder.create_network", "tensorrt.plugin.register"} <= listed


def test_the_cpp_reference_has_every_class():
    listed = {a for page in cpp_reference.pages(ROOT).values() for a in page.anchors}
    ends = {anchor.rsplit(".", 1)[-1] for anchor in listed}
    for header in (ROOT / "include" / "kiln" / "api").rglob("*.h"):
        for name in re.findall(r"^class (\w+)[^;]*\{$", header.read_text(), re.M):
            assert name in ends, f"{header.name}: {name}"
    assert "nvinfer1.IBuilder.buildSerializedNetwork" in listed


def test_comments_become_markdown():
    links = {"IThing": "x.md#IThing"}
    text = words.prose("Takes an IThing.\nsize: of *all*,\n  in `a*b` bytes.", ["size"], links)
    assert text == "Takes an [IThing](x.md#IThing).\n\n- **size**: of \\*all\\*, in `a*b` bytes."


def test_declarations_of_headers():
    entries = cpp_reference.read("""\
namespace nvinfer1 {

//! A thing.
class IThing : public INoCopy {
public:
    //! Sets it.
    //! \\param size of it.
    virtual void set(int32_t size,
                     int32_t more) noexcept = 0;

    virtual void undocumented() = 0;

private:
    //! Hidden.
    int32_t hidden_;
};

//! What kind.
enum class Kind : int32_t {
    kONE = 0, //!< The first.
};

} // namespace nvinfer1
""")
    thing, kind = entries
    assert (thing.name, [m.name for m in thing.members]) == (
        "nvinfer1::IThing",
        ["nvinfer1::IThing::set"],
    )
    assert thing.members[0].code.endswith("int32_t more) noexcept = 0;")
    assert "kONE = 0, //!< The first." in kind.code
