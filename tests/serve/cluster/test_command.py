# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The command `kiln serve`."""

import json
import re
import signal
import subprocess
import urllib.request

import pytest

pytest.importorskip("ray", reason="scripts/setup.sh serve installs it")

import yaml
from command import COMMAND, ENVIRONMENT, served
from ports import free_port


def kiln_serve(*arguments, folder=None):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=120,
        env=ENVIRONMENT, check=False, cwd=folder,
    )  # fmt: skip


def test_serves_until_it_is_told_to_end(plans):
    port = free_port()
    arguments = (f"three={plans}/three.plan", "--port", port, "--address", "local")
    with served(*arguments) as (process, text):
        assert f"three, version 1: http://127.0.0.1:{port}/v2/models/three\n" in text
        # The request that it suggests, as curl sends it.
        url, body = re.search(r"curl -s (\S+) -d '(.*)'", text).groups()
        with urllib.request.urlopen(url, body.encode(), timeout=30) as answer:
            assert json.load(answer)["outputs"] == {"y": [[0, 0, 0, 0]]}
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0, process.stderr.read()


def test_the_file_for_a_cluster(tmp_path):
    mine = tmp_path / "mine.yaml"
    mine.write_text(yaml.safe_dump({"plan": "one.plan", "replicas": {"max_replicas": 2}}))
    out = tmp_path / "serve.yaml"
    result = kiln_serve(
        "--config", mine, "--name=m", "--grpc-port=8001", "--max-batch=4", "--memory-limit=2g",
        "--plugins=p.py", "--plugins=some.module", "--dry-run", "--write-config", out,
        folder=tmp_path,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert out.read_text() == result.stdout
    values = yaml.safe_load(result.stdout)
    assert values["grpc_options"]["grpc_servicer_functions"] == [
        "kiln.serve.proxy_grpc.add_loopback"
    ]
    application = values["applications"][0]
    assert application["import_path"] == "kiln.serve:app"
    assert application["args"] == {
        "models": [
            {
                "plan": str(tmp_path / "one.plan"),
                "name": "m",
                "plugins": [str(tmp_path / "p.py"), "some.module"],
                "batching": {"max_size": 4},
            }
        ],
        "replicas": {"max_replicas": 2},
        "memory_limit": 2 << 30,
    }


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), "expected a PLAN or --config FILE, got neither"),
        (("--config", "/none.yaml"), "--config: cannot read '/none.yaml'"),
        (("a.plan", "b.plan", "--name=m"), "--name: expected one model, got 2"),
        (("a.plan", "--memory-limit=x"), "expected bytes such as 500m or 8g, got 'x'"),
    ],
)
def test_wrong_arguments(arguments, text):
    result = kiln_serve(*arguments)
    assert result.returncode == 2 and text in result.stderr
