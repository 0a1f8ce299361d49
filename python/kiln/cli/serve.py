# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""``kiln serve PLAN...``: serves engines on this machine by Ray Serve, until Ctrl-C or SIGTERM."""

import argparse
import dataclasses
import json
import os
import signal
import sys
import threading
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kiln._messages import message
from kiln.cli.arguments import Commands, stop

if TYPE_CHECKING:
    from kiln.serve.config import ServeConfig
    from kiln.serve.local import LocalServer

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_SMALL = 16  # elements of an example request


def add(commands: Commands) -> None:
    """Declares the command."""
    command = commands.add_parser(
        "serve", help="serve engines over HTTP and gRPC, with batching, by Ray Serve"
    )
    command.add_argument(
        "plans",
        nargs="*",
        metavar="PLAN",
        help="plan file, or folder with a subfolder for each version; NAME=PLAN names the model",
    )
    command.add_argument("--config", metavar="FILE", help="YAML file with fields of ServeConfig")
    command.add_argument("--name", help="name of the model, if there is one PLAN")
    command.add_argument(
        "--host", default="127.0.0.1", help="address to listen on. Default: %(default)s"
    )
    command.add_argument(
        "--port", type=int, default=8000, help="port for HTTP. Default: %(default)s"
    )
    command.add_argument(
        "--grpc-port", type=int, default=0, help="port for gRPC; 0: none. Default: %(default)s"
    )
    _add_fields(command)
    _add_ways(command)
    command.set_defaults(run=run)


def _add_fields(command: argparse.ArgumentParser) -> None:
    """Options that are fields of the configuration. Without one, that of --config counts."""
    add_option = command.add_argument
    add_option("--replicas", type=int, help="processes that run the models. Default: 1")
    add_option("--num-cpus", type=float, help="cores of each replica. Default: 1")
    add_option("--num-gpus", type=float, help="GPUs of each replica. Default: 0")
    add_option("--memory-limit", type=_bytes, metavar="BYTES", help="for models, such as 8g")
    add_option("--max-batch", type=int, help="rows in a batch. Default: as the profiles take")
    add_option("--max-wait-ms", type=float, help="wait of a batch for more requests. Default: 2")
    add_option("--max-queue", type=int, help="requests that wait; more get 503. Default: 1024")
    add_option("--workers", type=int, help="execution contexts of a replica")
    add_option("--threads", type=int, help="threads of a run on the CPU")
    add_option("--target", choices=("cpu", "cuda"), help="refuse plans for another target")
    add_option(
        "--plugins", action="append", default=[], metavar="FILE", help="plugin file, module or .so"
    )
    add_option("--allow-python-source", action="store_true", help="run Python source of plans")
    add_option("--allow-host-code", action="store_true", help="run libraries that plans carry")


def _add_ways(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--address", default="auto", help="of a running Ray; 'local': start one. Default: auto"
    )
    command.add_argument(
        "--proxy",
        choices=("auto", "ray", "haproxy"),
        default="auto",
        help="what takes the requests. Default: haproxy in a Ray that the command starts, else ray",
    )
    command.add_argument("--dashboard", action="store_true", help="start Ray's dashboard too")
    command.add_argument(
        "--verbose", action="store_true", help="print what the processes of Ray print"
    )
    command.add_argument(
        "--write-config", metavar="FILE", help="write the YAML file for 'serve deploy', and end"
    )
    command.add_argument(
        "--dry-run", action="store_true", help="print the YAML file for 'serve deploy', and end"
    )


def run(arguments: argparse.Namespace) -> int:
    """Serves until a signal ends it; exit code 1 if the deployment failed."""
    try:
        config = configuration(arguments)
    except ValueError as error:
        stop(str(error))
    if arguments.dry_run or arguments.write_config:
        _write(arguments, config)
        return 0
    try:
        import ray.serve  # noqa: F401
    except ImportError as error:
        stop(f"[deploy] Ray Serve is not there: {error}. Install it: pip install 'kilnrt[serve]'")
    from kiln.serve.local import LocalServer

    ended = threading.Event()
    try:
        server = LocalServer(
            arguments.host,
            arguments.port,
            arguments.grpc_port,
            arguments.address,
            arguments.dashboard,
            arguments.verbose,
            arguments.proxy,
        )
    except (RuntimeError, ValueError) as error:
        stop(str(error))
    try:
        server.start()
        # Ray replaces the handlers when it starts.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: ended.set())
        server.deploy(config)
        _announce(server)
        _watch(server, ended)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        server.stop()
    return 0


def configuration(arguments: argparse.Namespace) -> "ServeConfig":
    """The configuration that the arguments ask for. Raises ValueError."""
    from kiln.serve.config import ModelConfig, ServeConfig
    from kiln.serve.values import config_of

    if arguments.config:
        config = config_of(_read(arguments.config), arguments.config)
    elif arguments.plans:
        config = ServeConfig(models=())
    else:
        stop("[deploy] expected a PLAN or --config FILE, got neither")
    models = list(config.models)
    for text in arguments.plans:
        name, mark, plan = text.partition("=")
        models.append(ModelConfig(plan=plan, name=name) if mark else ModelConfig(plan=text))
    if arguments.name:
        if len(models) != 1:
            stop(f"[deploy] --name: expected one model, got {len(models)}. Write NAME=PLAN.")
        models[0] = dataclasses.replace(models[0], name=arguments.name)
    models = [_with_options(model, arguments) for model in models]
    fields = _given(arguments, "replicas", "num_cpus", "num_gpus", "memory_limit")
    return dataclasses.replace(config, models=tuple(models), **fields)


def _with_options(model: Any, arguments: argparse.Namespace) -> Any:
    """A model with the options that count for all models."""
    batching = _given(arguments, "max_wait_ms", "max_queue")
    if arguments.max_batch is not None:
        batching["max_size"] = arguments.max_batch
    fields = _given(arguments, "workers", "threads", "target")
    for name in ("allow_python_source", "allow_host_code"):
        if getattr(arguments, name):
            fields[name] = True
    if arguments.plugins:
        fields["plugins"] = (*model.plugins, *arguments.plugins)
    fields.setdefault("plugins", model.plugins)
    # The processes of Ray have another working folder.
    fields["plugins"] = tuple(
        _absolute(name) if _is_file(name) else name for name in fields["plugins"]
    )
    if not isinstance(model.plan, bytes):
        fields["plan"] = _absolute(model.plan)
    return dataclasses.replace(
        model, batching=dataclasses.replace(model.batching, **batching), **fields
    )


def _absolute(path: "str | Path") -> str:
    return os.path.abspath(path)


def _is_file(name: str) -> bool:
    """Whether an entry of plugins is a file, not a module."""
    return name.endswith(".py") or "/" in name or ".so" in name


def _given(arguments: argparse.Namespace, *names: str) -> "dict[str, Any]":
    values = {name: getattr(arguments, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def _read(path: str) -> Any:
    try:
        import yaml  # type: ignore[import-untyped]
    except ImportError:
        stop("[deploy] --config: YAML files need PyYAML. Install it: pip install 'kilnrt[serve]'")
    try:
        return yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        stop(f"[deploy] --config: cannot read '{path}': {error}")


def _write(arguments: argparse.Namespace, config: "ServeConfig") -> None:
    """Prints or writes the file that ``serve deploy`` takes."""
    from kiln.serve.application import cluster_config

    values = cluster_config(config, arguments.host, arguments.port, arguments.grpc_port)
    try:
        import yaml

        text = yaml.safe_dump(values, sort_keys=False)
    except ImportError:
        text = json.dumps(values, indent=2) + "\n"  # which is YAML too
    if arguments.write_config:
        Path(arguments.write_config).write_text(text, encoding="utf-8")
    if arguments.dry_run:
        sys.stdout.write(text)


def _announce(server: "LocalServer") -> None:
    """Prints the addresses and a request to try."""
    host = "127.0.0.1" if server.host in ("0.0.0.0", "::") else server.host
    base = f"http://{host}:{server.port}"
    for model in _ask(f"{base}/v2/repository/index", {}):
        url = f"{base}/v2/models/{model['name']}"
        print(f"{model['name']}, version {model.get('version') or '1'}: {url}")
        print(f"  {_example(url)}")
    if server.grpc_port:
        print(f"gRPC: {host}:{server.grpc_port}")
    print("Ctrl-C ends the server.", flush=True)


def _example(url: str) -> str:
    """A command that asks the model something."""
    inputs = _ask(url)["inputs"]
    shapes = [[max(1, extent) for extent in spec["shape"]] for spec in inputs]
    if sum(_count(shape) for shape in shapes) > _SMALL:
        return f"curl -s {url}"
    values = {spec["name"]: _zeros(shape) for spec, shape in zip(inputs, shapes, strict=True)}
    return f"curl -s {url}/infer -d '{json.dumps({'inputs': values})}'"


def _zeros(shape: "list[int]") -> Any:
    return [_zeros(shape[1:]) for _ in range(shape[0])] if shape else 0


def _count(shape: "list[int]") -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count


def _ask(url: str, body: Any = None) -> Any:
    """The answer of the server, as plain values."""
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data), timeout=30) as answer:
        return json.load(answer)


def _watch(server: "LocalServer", ended: threading.Event) -> None:
    """Waits for the end; says when the deployment gets worse or well again."""
    said = ""
    while not ended.wait(5):
        problem = server.failure()
        if problem != said:
            print(problem or "All replicas are well again.", file=sys.stderr, flush=True)
            said = problem


def _bytes(text: str) -> int:
    number = text.strip().lower().removesuffix("b").removesuffix("i")
    unit = number[-1:] if number[-1:].isalpha() else ""
    try:
        return int(float(number.removesuffix(unit)) * _UNITS[unit])
    except (KeyError, ValueError):
        raise argparse.ArgumentTypeError(
            message(f"[deploy] --memory-limit: expected bytes such as 500m or 8g, got '{text}'")
        ) from None
