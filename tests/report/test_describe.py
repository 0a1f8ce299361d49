# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""kiln.report.describe(): what a description holds, for plans, engines and networks."""

import json
import re
import subprocess
import sys
from pathlib import Path

import kiln
import pytest
from kiln import report
from small_network import EVIL, build, small_network

PAGE = Path(__file__).parents[2] / "docs" / "report.md"


def keys_of(page, title):
    """The entries in the table under a heading of docs/report.md."""
    section = page.split(f"### {title}\n")[1].split("\n#")[0]
    return set(re.findall(r"^\| `(\w+)`", section, re.M))


@pytest.mark.parametrize(
    ("title", "entries"),
    [
        ("Report", lambda r: [r]),
        ("Facts", lambda r: [r["facts"]]),
        ("Layer", lambda r: r["layers"]),
        ("Candidate", lambda r: [c for layer in r["layers"] for c in layer["candidates"]]),
        ("Tensor", lambda r: r["tensors"]),
        ("Statistics", lambda r: [t["statistics"] for t in r["tensors"] if "statistics" in t]),
        ("Sum", lambda r: [*r["summary"]["kinds"], *r["summary"]["types"]]),
        ("Edge", lambda r: r["edges"]),
        ("Run", lambda r: [r["run"]]),
        ("Memory", lambda r: [r["memory"]]),
    ],
)
def test_the_page_specifies_every_entry(description, title, entries):
    found = set().union(*map(set, entries(description)))
    assert found <= keys_of(PAGE.read_text(), title)


def test_it_is_json(description):
    assert json.loads(json.dumps(description)) == description
    assert description["kiln_report"] == report.VERSION


def test_layers_know_what_they_are_made_of(description):
    made_of = [name for layer in description["layers"] for name in layer["layers"]]
    assert {"product", EVIL, "total", "soft", "top"} <= set(made_of)
    fused = next(layer for layer in description["layers"] if "product" in layer["layers"])
    assert fused["layers"] == ["product", EVIL, "total"]
    assert fused["operations"] == ["MatrixMultiply", "Relu", "Sum"]


def test_candidates_have_times_or_reasons(description):
    for layer in description["layers"]:
        assert [one["kernel"] for one in layer["candidates"] if one["chosen"]] == [layer["kernel"]]
        for one in layer["candidates"]:
            assert one.get("refusal") or one["microseconds"] > 0
    assert any(one.get("refusal") for layer in description["layers"] for one in layer["candidates"])


def test_without_detailed_verbosity_there_are_no_candidates(tmp_path):
    path = tmp_path / "plain.plan"
    path.write_bytes(build(kiln.ProfilingVerbosity.LAYER_NAMES_ONLY))
    assert all(layer["candidates"] == [] for layer in report.describe(path)["layers"])


def test_layers_have_the_times_of_the_run(description):
    assert all(layer["microseconds"] > 0 for layer in description["layers"])
    assert description["run"]["iterations"] == 3
    assert description["run"]["whole_microseconds"] > 0


def test_edges_lead_from_input_to_outputs(description):
    names = {tensor["id"]: tensor["name"] for tensor in description["tensors"]}
    edges = description["edges"]
    assert any(edge["from"] is None and names[edge["tensor"]] == "x" for edge in edges)
    ends = {names[edge["tensor"]] for edge in edges if edge["to"] is None}
    assert ends == {"values", "places"}
    assert all(e["from"] < e["to"] for e in edges if None not in (e["from"], e["to"]))


def test_views_are_no_layers_but_lead_on():
    tensors = [
        {"id": 0, "name": "x", "role": "input"},
        {"id": 1, "name": "a", "role": "internal", "shares_with": 3},
        {"id": 2, "name": "b", "role": "internal", "shares_with": 3},
        {"id": 3, "name": "joined", "role": "internal"},
        {"id": 4, "name": "flat", "role": "internal", "shares_with": 3},
        {"id": 5, "name": "y", "role": "output"},
        {"id": 6, "name": "flat x", "role": "internal", "shares_with": 0},
    ]
    layers = [
        {"id": 0, "inputs": [0], "outputs": [1]},
        {"id": 1, "inputs": [6], "outputs": [2]},
        {"id": 2, "inputs": [4, -1], "outputs": [5]},
    ]
    from kiln.report._plan import edges

    found = {(e["tensor"], e["from"], e["to"]) for e in edges(tensors, layers)}
    assert found == {(0, None, 0), (0, None, 1), (4, 0, 2), (4, 1, 2), (5, 2, None)}


def test_memory_fits_into_the_arena(description):
    in_use = description["memory"]["in_use"]
    assert len(in_use) == len(description["layers"])
    assert 0 < max(in_use) <= description["memory"]["arena_bytes"]


def test_engines_and_plans_in_memory(plan):
    data = plan.read_bytes()
    engine = kiln.Runtime(kiln.Logger(kiln.Logger.ERROR)).deserialize_cuda_engine(data)
    of_file, of_bytes, of_engine = (report.describe(one) for one in (plan, data, engine))
    assert of_file["layers"] == of_bytes["layers"]
    assert [one["name"] for one in of_engine["layers"]] == [o["name"] for o in of_file["layers"]]
    assert (of_file["title"], of_bytes["title"]) == ("small", "small")
    assert of_file["source"] == "small.plan"


def test_networks():
    builder = kiln.Builder(kiln.Logger(kiln.Logger.ERROR))
    described = report.describe(small_network(builder))
    assert described["kind"] == "network"
    names = [layer["name"] for layer in described["layers"]]
    assert names[1:] == ["product", EVIL, "total", "soft", "top"]
    assert described["layers"][2]["operations"] == ["Relu"]
    assert {"from": 1, "to": 2} in [{"from": e["from"], "to": e["to"]} for e in described["edges"]]
    assert [described["tensors"][i]["name"] for i in described["outputs"]] == ["values", "places"]


def test_files_that_are_no_plan(tmp_path):
    path = tmp_path / "text.plan"
    path.write_text("text")
    with pytest.raises(ValueError, match="expected the magic number"):
        report.describe(path)
    with pytest.raises(OSError):
        report.describe(tmp_path / "absent.plan")


def test_profiles_of_trtexec(plan, tmp_path):
    layers = [layer["name"] for layer in report.describe(plan)["layers"]]
    profile = tmp_path / "p.json"
    entries = [{"name": name, "averageMs": 0.002, "medianMs": 0.001} for name in layers]
    profile.write_text(json.dumps([{"count": 7}, *entries]))
    times = tmp_path / "t.json"
    times.write_text(json.dumps([{"computeMs": 3.0}, {"computeMs": 1.0}, {"computeMs": 2.0}]))
    described = report.describe(plan, profile=profile, times=times)
    assert [layer["microseconds"] for layer in described["layers"]] == [1.0] * len(layers)
    assert described["run"]["iterations"] == 7
    assert described["run"]["whole_microseconds"] == 2000.0
    profile.write_text("[1]")
    with pytest.raises(ValueError, match="expected files that trtexec --exportProfile"):
        report.describe(plan, profile=profile)


def test_layers_of_two_plans_belong_together(description, tmp_path, monkeypatch):
    monkeypatch.setenv("KILN_FUSION", "0")
    path = tmp_path / "unfused.plan"
    path.write_bytes(build())
    unfused = report.describe(path)
    pairs = report.match(description, unfused)
    names = {
        (
            None if a is None else description["layers"][a]["name"],
            None if b is None else unfused["layers"][b]["name"],
        )
        for a, b in pairs
    }
    assert ("soft", "soft") in names
    assert (f"product + {EVIL} + total", "product") in names
    assert (None, "total") in names
    assert sorted(b for _, b in pairs if b is not None) == list(range(len(unfused["layers"])))


def test_the_program_of_the_page_runs(plan, tmp_path):
    (tmp_path / "model.plan").write_bytes(plan.read_bytes())
    (program,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "soft" in (tmp_path / "model.html").read_text(encoding="utf-8")
