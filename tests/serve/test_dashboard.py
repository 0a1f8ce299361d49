# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The Grafana dashboard shows the metrics that exist, with their units."""

import json
import re
from pathlib import Path

import kiln.serve.metrics as metrics_module
import pytest
from kiln.serve.metrics import table

DASHBOARD = Path(metrics_module.__file__).parent / "dashboards" / "kiln.json"
NAME = re.compile(r'\{__name__=~"\(ray_\)\?(\w+)"([^}]*)\}')
PANELS = json.loads(DASHBOARD.read_text())["panels"]


def legends(panel):
    """The labels in the legend of each query."""
    return [set(re.findall(r"{{(\w+)}}", target["legendFormat"])) for target in panel["targets"]]


def queries(panel):
    return [target["expr"] for target in panel["targets"]]


def metric_of(name):
    """The metric of a name in a query, which may be one of the series of a histogram."""
    found = table()
    if name in found:
        assert found[name].kind != "histogram", name
        return found[name]
    base = re.sub(r"_(bucket|sum|count)$", "", name)
    assert found[base].kind == "histogram", name
    return found[base]


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_queries_are_of_metrics_and_labels_that_exist(panel):
    for query, legend in zip(queries(panel), legends(panel), strict=True):
        names = NAME.findall(query)
        assert names
        for grouped in re.findall(r"by \(([^)]*)\)", query):  # else a legend would be empty
            assert legend <= {label.strip() for label in grouped.split(",")}
        for name, more in names:
            metric = metric_of(name)
            labels = set(metric.labels) | ({"le"} if name.endswith("_bucket") else set())
            grouped = re.findall(r"by \(([^)]*)\)", query)
            used = {label.strip() for group in grouped for label in group.split(",")}
            used |= set(re.findall(r"(\w+)(?:=~|!=|=)", more))
            used |= legend
            assert used <= labels, (query, used - labels)
            assert ("rate(" in query or "increase(" in query) == (metric.kind != "gauge")
        assert query.count("(") == query.count(")")


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_units_are_those_of_the_metrics(panel):
    unit = panel["fieldConfig"]["defaults"]["unit"]
    ends = {"s": "_seconds", "bytes": "_bytes", "percentunit": "_ratio"}
    for query in queries(panel):
        for name, _ in NAME.findall(query):
            base = metric_of(name).name
            expected = [key for key, end in ends.items() if base.endswith(end)]
            if " / " in query:  # of two counts: a number, or a share
                assert unit in ("percentunit", "short") and name.endswith(("_total", "_count"))
                continue
            if query.startswith("count "):
                assert unit == "short"
                continue
            assert expected in ([unit], []) and (unit in ends) == bool(expected)
            if unit in ("reqps", "rowsps"):
                assert base.endswith("_total")


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_no_query_needs_the_sum_of_a_histogram(panel):
    """Ray's exporter has only estimates of these."""
    assert not any(re.search(r"_sum\b", query) for query in queries(panel))


def test_every_metric_is_shown():
    shown = {metric_of(n).name for p in PANELS for q in queries(p) for n, _ in NAME.findall(q)}
    assert shown == set(table())


def test_panels_do_not_overlap():
    places = [panel["gridPos"] for panel in PANELS]
    cells = [
        (x, y)
        for p in places
        for x in range(p["x"], p["x"] + p["w"])
        for y in range(p["y"], p["y"] + p["h"])
    ]
    assert len(cells) == len(set(cells)) and max(x for x, _ in cells) < 24
    assert len({panel["id"] for panel in PANELS}) == len(PANELS)
