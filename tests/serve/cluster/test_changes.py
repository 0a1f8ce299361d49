# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402
"""Changes of a deployment while clients ask it, and changes that are refused."""

import threading

import numpy as np
import pytest

http = pytest.importorskip("tritonclient.http", reason="scripts/setup.sh serve installs it")
ray = pytest.importorskip("ray", reason="scripts/setup.sh serve installs it")

from client import ask, pids
from kiln.serve.application import cluster_config
from kiln.serve.deployment import bind
from kiln.serve.local import failure_of
from kiln.serve.origin import pin
from kiln.serve.values import config_of

X = np.ones((1, 4), np.float32)


class Asking:
    """Threads that ask the model 'm' all the time; `factors` are what it multiplied by."""

    def __init__(self, url, threads=2):
        self.factors, self.errors, self._done = set(), [], threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(url,)) for _ in range(threads)]

    def _ask(self, url):
        with http.InferenceServerClient(url) as client:
            while not self._done.is_set():
                try:
                    self.factors.add(float(ask(http, client, "m", X)[0, 0]))
                except Exception as error:
                    self.errors.append(error)

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._done.set()
        for thread in self._threads:
            thread.join(30)
            assert not thread.is_alive()


def deploy_file(ports, config, user_config=None):
    """What `serve deploy` does with the file of a configuration."""
    from ray.serve.context import _get_global_client
    from ray.serve.schema import ServeDeploySchema

    values = cluster_config(config_of(config), port=ports.http, grpc_port=ports.grpc)
    if user_config:
        changed = {"name": "kiln", "user_config": user_config}
        values["applications"][0]["deployments"] = [changed]
    _get_global_client().deploy_apps(ServeDeploySchema(**values), _blocking=True)
    return values


def status():
    return ray.serve.status().applications["kiln"]


def test_user_config_changes_the_plan_in_running_replicas(serving, plans):
    config = {"plan": f"{plans}/one.plan", "num_cpus": 0.5}

    def changed(version):
        model = {"name": "m", "plan": f"{plans}/versions", "version": version}
        deploy_file(serving, config, {"models": [model]})
        return ray.serve.get_app_handle("kiln").problem.remote().result(timeout_s=20)

    assert changed("1") == ""
    before = pids()
    with Asking(serving.url) as asking, http.InferenceServerClient(serving.url) as client:
        assert changed("2") == ""
        assert ask(http, client, "m", X)[0, 0] == 2
        # A version that does not exist: the second goes on.
        problem = changed("7")
        assert "[serve] version: expected one of 2, 1" in problem and "got '7'" in problem
        assert ask(http, client, "m", X)[0, 0] == 2
    assert asking.errors == []
    assert asking.factors == {1, 2}
    assert pids() == before


def test_new_arguments_replace_the_replicas(serving, plans, deploy):
    model = {"plan": f"{plans}/versions", "name": "m"}
    fields = {"num_cpus": 0.3}
    deploy({"models": [{**model, "version": "1"}], **fields})
    before = pids()
    with Asking(serving.url) as asking:
        deploy({"models": [{**model, "version": "2"}], **fields})
        with http.InferenceServerClient(serving.url) as client:
            assert ask(http, client, "m", X)[0, 0] == 2
    assert asking.errors == []
    assert asking.factors == {1, 2}
    assert not pids() & before


def failed(application):
    with pytest.raises(RuntimeError):
        ray.serve.run(application, name="kiln")
    return failure_of(status())


def test_what_is_missing_fails_the_deployment_by_name(serving, plans):
    models = [
        {"plan": f"{plans}/none.plan", "name": "a"},
        {"plan": f"{plans}/one.plan", "name": "b", "plugins": ["no_such_module"]},
    ]
    text = failed(bind(config_of({"models": models, "num_cpus": 0.5})))
    assert f"got '{plans}/none.plan', which does not exist" in text
    assert "model 'b', plugins: 'no_such_module' cannot be loaded" in text


def test_another_version_of_kiln_is_refused_with_both_versions(serving, plans):
    import kiln

    config = config_of({"plan": f"{plans}/one.plan", "num_cpus": 0.5})
    text = failed(bind(config, {"kiln": "9.9.9", "host": "elsewhere", "plans": []}))
    assert f"has Kiln {kiln.kiln_version}" in text and "with Kiln 9.9.9 on elsewhere" in text


def test_another_plan_behind_the_path_is_refused_with_both_digests(serving, plans):
    config, origin = pin(config_of({"plan": f"{plans}/versions", "num_cpus": 0.5}))
    assert config.models[0].version == "2"
    right = origin["plans"][0]["digest"]
    origin["plans"][0]["digest"] = "0" * 64
    text = failed(bind(config, origin))
    assert f"its digest is {right[:16]}" in text and f"is {'0' * 16}" in text


def test_the_file_of_serve_deploy(serving, plans):
    model = {"plan": f"{plans}/three.plan", "name": "m"}
    values = deploy_file(serving, {**model, "num_cpus": 0.5})
    assert values["applications"][0]["args"] == {"models": [model], "num_cpus": 0.5}
    with http.InferenceServerClient(serving.url) as client:
        assert ask(http, client, "m", X)[0, 0] == 3


def test_a_failed_replacement_leaves_the_old_replicas(serving, plans, deploy):
    fields = {"num_cpus": 0.3, "options": {"max_surge_percent": 100}}
    deploy({"plan": f"{plans}/three.plan", "name": "m", **fields})
    with Asking(serving.url) as asking:
        with pytest.raises(RuntimeError):
            deploy({"plan": f"{plans}/none.plan", "name": "m", **fields})
        assert "none.plan', which does not exist" in failure_of(status())
    assert asking.errors == []
    assert asking.factors == {3}
