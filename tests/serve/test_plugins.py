# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plugins of a model: from files and modules, missing ones by name, code in plans."""

import asyncio

import numpy as np
import plugin_plans
import pytest
from kiln.serve import plans, plugins
from kiln.serve.config import ModelConfig
from kiln.serve.model import Model
from kiln.serve.request import InferRequest, LoadError, RequestError


def infer(config, *inputs):
    """The answers to requests that come together."""

    async def main():
        model = await Model.open(config)
        requests = (model.infer(InferRequest({"x": x})) for x in inputs)
        results = await asyncio.gather(*requests, return_exceptions=True)
        await model.close()
        return results

    return asyncio.run(main())


ONES = np.ones((2, 4), np.float32)


def test_a_missing_plugin_fails_the_load_by_name(tmp_path):
    _, plan = plugin_plans.make(tmp_path, "serve_missing")
    config = ModelConfig(plan)
    with pytest.raises(LoadError) as caught:
        plugins.load(config, plans.find(config))
    text = str(caught.value)
    assert "model 'serve_missing'" in text
    assert "plugin sample::serve_missing, version '1'" in text
    assert "add a Python file or module to `plugins`" in text


def test_a_file_and_a_failing_request(tmp_path, caplog):
    plugin, plan = plugin_plans.make(tmp_path, "serve_file")
    good, bad, also = infer(ModelConfig(plan, plugins=(str(plugin),)), ONES, -ONES, 3 * ONES)
    np.testing.assert_array_equal(good.outputs["y"], 2 * ONES)
    np.testing.assert_array_equal(also.outputs["y"], 6 * ONES)
    assert isinstance(bad, RequestError) and bad.status == 500
    assert "no root of a negative number" in str(bad)
    assert "model 'serve_file': the run failed" in str(bad)
    assert "Traceback" not in str(bad) and str(plugin) not in str(bad)  # for the log alone
    assert f'File "{plugin}"' in caplog.text


def test_a_module(tmp_path, monkeypatch):
    _, plan = plugin_plans.make(tmp_path, "serve_module")
    monkeypatch.syspath_prepend(str(tmp_path))
    (result,) = infer(ModelConfig(plan, plugins=("serve_module_plugin",)), ONES)
    np.testing.assert_array_equal(result.outputs["y"], 2 * ONES)


def test_plugins_that_cannot_be_loaded(tmp_path):
    _, plan = plugin_plans.make(tmp_path, "serve_broken")
    broken = tmp_path / "serve_broken_file.py"
    broken.write_text("raise RuntimeError('half written')\n")
    library = tmp_path / "libserve_broken.so"
    library.write_bytes(b"no library")
    for name, said in (
        (str(broken), "RuntimeError: half written"),
        (str(tmp_path / "absent.py"), "FileNotFoundError"),
        ("serve_no_such_module", "No module named 'serve_no_such_module'"),
        (str(library), "file too short"),
    ):
        config = ModelConfig(plan, plugins=(name,))
        with pytest.raises(LoadError) as caught:
            plugins.load(config, plans.find(config))
        assert f"'{name}' cannot be loaded" in str(caught.value) and said in str(caught.value)


def test_python_source_in_a_plan_runs_only_if_it_is_allowed(tmp_path):
    _, plan = plugin_plans.make(tmp_path, "serve_embedded", embed=True)
    with pytest.raises(LoadError) as caught:
        infer(ModelConfig(plan), ONES)
    text = str(caught.value)
    assert "Python source in the plan (module serve_embedded_plugin)" in text
    assert "set allow_python_source" in text
    (result,) = infer(ModelConfig(plan, allow_python_source=True), ONES)
    np.testing.assert_array_equal(result.outputs["y"], 2 * ONES)


def test_machine_code_and_libraries_in_a_plan_need_permission(tmp_path):
    _, path = plugin_plans.make(tmp_path, "serve_code")
    plan = plans.find(ModelConfig(path))
    code = [{"target": "cpu", "architecture": "x86-64"}]
    compiled = {**plan.description["plugins"][0], "code": code}
    for part, said in (
        ({"plugins": [compiled]}, "machine code of plugins for the CPU"),
        ({"libraries": [{"name": "libx.so", "bytes": 1}]}, "carries the libraries libx.so"),
    ):
        description = {**plan.description, **part}
        changed = plans.PlanFile(plan.path, plan.name, "1", plan.digest, description)
        with pytest.raises(LoadError, match=said):
            plugins.check(ModelConfig(path), changed)
        plugins.check(ModelConfig(path, allow_host_code=True), changed)
