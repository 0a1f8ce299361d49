# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Page, SVG and DOT: complete, self-contained, and safe for names from files of others."""

import html.parser
import json
import re
import shutil
import subprocess
from xml.etree import ElementTree

import kiln
import pytest
from kiln import report
from small_network import EVIL, build, small_network

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)


class Reader(html.parser.HTMLParser):
    """Collects elements, their attributes and the text of scripts."""

    def __init__(self):
        super().__init__()
        self.attributes, self.tags, self.texts = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.texts.append("")

    def handle_data(self, data):
        if self.texts:
            self.texts[-1] += data


@pytest.fixture(scope="module")
def page(description):
    return report.to_html(description)


def data_of(page):
    reader = Reader()
    reader.feed(page)
    number = reader.tags.index("script")
    return json.loads(reader.texts[number])


def test_the_page_holds_every_layer(page, description):
    data = data_of(page)
    assert data["reports"] == [description]
    layers = {node[0] for node in data["pictures"][0]["nodes"] if node[0] is not None}
    assert layers == set(range(len(description["layers"])))
    assert len(data["pictures"][0]["edges"]) == len(description["edges"])


def test_the_page_opens_no_connection(page):
    reader = Reader()
    reader.feed(page)
    for name, value in reader.attributes:
        if name in ("src", "href", "action", "data", "poster", "srcset"):
            assert value.startswith("data:"), (name, value)
    assert not re.search(r"https?://|@import|url\(|fetch\(|XMLHttpRequest|import\(", page)
    assert "default-src 'none'" in page


def test_names_stay_text(page):
    reader = Reader()
    reader.feed(page)
    assert reader.tags.count("script") == 2
    assert "alert('&amp;" not in page.replace("\\u0026", "")
    assert EVIL in [name for one in data_of(page)["reports"][0]["layers"] for name in one["layers"]]


def test_a_frame_for_notebooks(description, page):
    reader = Reader()
    reader.feed(report.to_frame(description, height=500))
    attributes = dict(reader.attributes)
    assert reader.tags == ["iframe"]
    assert attributes["srcdoc"] == page
    assert (attributes["sandbox"], attributes["height"]) == ("allow-scripts", "500")


def test_svg(description):
    root = ElementTree.fromstring(report.to_svg(description))
    space = "{http://www.w3.org/2000/svg}"
    titles = [title.text for title in root.iter(f"{space}title")]
    for layer in description["layers"]:
        assert layer["name"].replace("\u2028", " ") in [t.replace("\u2028", " ") for t in titles]
    assert sum(p.get("class") == "e" for p in root.iter(f"{space}path")) == len(
        description["edges"]
    )


def test_dot(description):
    text = report.to_dot(description)
    assert text.count(" -> ") == len(description["edges"])
    for layer in description["layers"]:
        assert f"  l{layer['id']} [label=" in text
    if shutil.which("dot"):
        done = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_a_network_and_an_empty_one():
    builder = kiln.Builder(kiln.Logger(kiln.Logger.ERROR))
    assert "<!doctype html>" in report.to_html(report.describe(small_network(builder)))
    empty = report.describe(builder.create_network())
    for picture in (report.to_html, report.to_svg, report.to_dot):
        assert picture(empty)


def shown(page, path):
    """The page as a browser makes it, and what its console says."""
    path.write_text(page, encoding="utf-8")
    done = subprocess.run(
        [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,900",
         "--virtual-time-budget=2000", "--enable-logging=stderr", "--dump-dom", path.as_uri()],
        capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    return done.stdout, console


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium to show the page")
@pytest.mark.parametrize("kind", ["plan", "network", "comparison"])
def test_a_browser_shows_it(description, tmp_path, kind):
    if kind == "network":
        builder = kiln.Builder(kiln.Logger(kiln.Logger.ERROR))
        text = report.to_html(report.describe(small_network(builder)))
    elif kind == "comparison":
        path = tmp_path / "other.plan"
        path.write_bytes(build(kiln.ProfilingVerbosity.NONE))
        text = report.to_html(description, report.describe(path))
    else:
        text = report.to_html(description)
    dom, console = shown(text, tmp_path / "page.html")
    assert console == []
    body = dom.split('<script id="data"')[0]
    assert body.count('class="row"') >= len(description["layers"])
    assert body.count('class="graph"') == (2 if kind == "comparison" else 1)
    assert "soft" in body and "<canvas" in body
