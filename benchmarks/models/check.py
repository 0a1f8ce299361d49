# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""check.py: exports, builds and runs the models at full size on the CPU and compares the results.

Prints a row for each model, and writes the table of README.md with --write. Times do not matter.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from processes import python_path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MARKS = "<!-- checks: written by check.py -->", "<!-- end of checks -->"
FOR_GPUS = ("resnet50_b32", "resnet50_b128", "bert_base_32x128")
LIMIT = 1e-5  # of the largest value, or three times the lesser error of torch and ONNX Runtime
# Times how far ONNX Runtime with fused operators is from that without, if quantized: one value
# that rounds to its neighbour changes all behind it.
QUANTIZED = 2.0
RAW_TYPES = {"FLOAT": "f4", "INT64": "i8", "INT32": "i4", "HALF": "f2", "BOOL": "?"}


def process(script, *arguments):
    """The last line of another process, or None: its standard error tells why it failed."""
    command = [sys.executable, str(HERE / script), *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": python_path()}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    return done.stdout if done.returncode == 0 else None


def weight_bytes(file):
    """What the constants of a model take: initializers, beside the file or in it."""
    beside = Path(file).with_suffix(".weights")
    return max(Path(file).stat().st_size, beside.stat().st_size if beside.exists() else 0)


def load(path):
    arrays = np.load(path)
    return [arrays[name] for name in arrays.files]


def difference(results, wanted):
    """The largest difference over the largest value of that output; NaN for other shapes."""
    worst = 0.0
    for result, value in zip(results, wanted, strict=True):
        if result.shape != value.shape:
            return float("nan")
        largest = np.abs(value).max(initial=0) or 1
        error = np.abs(result.astype("f8") - value.astype("f8")).max(initial=0) / largest
        worst = max(worst, float(error))  # max() of Python would lose NaN
        if np.isnan(error):
            return float("nan")
    return worst


def trtexec(program, file, folder, wanted):
    """What the program says of the model, and the error of the outputs that it writes."""
    inputs = json.loads((folder / "inputs.json").read_text())
    names = json.loads((folder / "outputs.json").read_text())
    values = ",".join(f"{name}:{folder / name}.bin" for name in inputs)
    with tempfile.TemporaryDirectory() as scratch:
        once = ["--warmUp=0", "--duration=0", "--iterations=1", "--dumpRawBindingsToFile"]
        done = subprocess.run(
            [program, f"--onnx={file}", f"--loadInputs={values}", *once],
            cwd=scratch,
            env={**os.environ, "KILN_TARGET": "cpu"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        (folder / "trtexec.log").write_text(done.stdout)
        if done.returncode != 0 or "&&&& PASSED" not in done.stdout:
            return "failed", float("nan")
        results = []
        for name in names:
            path = next(Path(scratch).glob(f"{name}.*.raw"))
            shape, kind = path.name[len(name) + 1 : -4].split(".")
            extents = [int(extent) for extent in shape.split("x")]
            results.append(np.fromfile(path, RAW_TYPES[kind]).reshape(extents))
    return "passed", difference(results, wanted)


def check(name, arguments):
    """One row of the table."""
    folder = Path(arguments.folder)
    file = folder / f"{name}.onnx"
    work = folder / f"{name}.check"
    row = {"model": name}
    if process("prepare.py", name, folder) is None:
        return {**row, "reason": "cannot be exported"}
    done = (work / "outputs.json").exists()
    if not done and process("check_rivals.py", name, file, work) is None:
        return {**row, "reason": "a rival cannot run it"}
    answer = process("check_kiln.py", file, work)
    row.update(json.loads(answer) if answer else {"reason": "the process of Kiln failed"})
    if "reason" in row:
        return row
    exact, rival = load(folder / f"{name}.npz"), load(work / "onnxruntime_plain.npz")
    results = load(work / "kiln.npz")
    row["weights"] = weight_bytes(file)
    row["error"] = difference(results, exact)
    row["onnxruntime"] = difference(rival, exact)
    row["torch"] = difference(load(work / "torch.npz"), exact)
    row["apart"] = difference(results, rival)
    row["spread"] = difference(load(work / "onnxruntime_fused.npz"), rival)
    row["trtexec"], row["trtexec_error"] = trtexec(arguments.trtexec, file, work, exact)
    return row


def faults(row):
    """What is wrong with a row."""
    if "reason" in row:
        return [row["reason"]]
    found = []
    if row["model"].endswith("_qdq"):
        limit, errors = max(LIMIT, QUANTIZED * row["spread"]), [row["apart"]]
    else:
        limit = max(LIMIT, 3 * min(row["onnxruntime"], row["torch"]))
        errors = [row["error"], row["trtexec_error"]]
    found += [f"error {error} above {limit:.1e}" for error in errors if not error <= limit]
    if row["trtexec"] != "passed":
        found.append("trtexec failed")
    return found


def cell(value):
    return f"{value:.1e}"


def line(row):
    """A line of the table."""
    if "reason" in row:
        return f"| `{row['model']}` | {row['reason'][:80]} | | | | | | | | |"
    weights = row["weights"]
    return (
        f"| `{row['model']}` | {weights / 2**20:.1f} | {cell(row['error'])} | "
        f"{cell(row['onnxruntime'])} | {cell(row['torch'])} | {cell(row['apart'])} | "
        f"{cell(row['spread'])} | "
        f"{row['trtexec']}, {cell(row['trtexec_error'])} | {row['parse_bytes'] / weights:.2f} | "
        f"{row['build_bytes'] / weights:.2f} |"
    )


def heading():
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    processors = [text for text in lines if text.startswith("model name")]
    name = processors[0].split(":")[1].strip() if processors else platform.machine()
    return [
        f"{time.strftime('%Y-%m-%d')}, {name}, {os.cpu_count()} cores; "
        f"`python {' '.join(['benchmarks/models/check.py', *sys.argv[1:]])}`",
        "",
        "| model | weights, MiB | error | ONNX Runtime | torch | apart | spread | trtexec "
        "| parse | build |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]


def write(lines):
    page = HERE / "README.md"
    before, rest = page.read_text().split(MARKS[0])
    _, after = rest.split(MARKS[1])
    page.write_text("\n".join([before + MARKS[0], *lines, MARKS[1] + after]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", metavar="NAME", help="default: all")
    parser.add_argument("--folder", default=str(ROOT / "build" / "models"))
    parser.add_argument("--trtexec", default=str(ROOT / "build" / "bin" / "trtexec"))
    parser.add_argument("--write", action="store_true", help="the table of README.md")
    arguments = parser.parse_args()
    from catalogue import MODELS

    lines, wrong = heading(), {}
    print(*lines, sep="\n", flush=True)
    for name in arguments.models or [name for name in MODELS if name not in FOR_GPUS]:
        row = check(name, arguments)
        lines.append(line(row))
        print(lines[-1], flush=True)
        if faults(row):
            wrong[name] = faults(row)
            print(f"  {name}: {'; '.join(wrong[name])}", file=sys.stderr, flush=True)
    if arguments.write:
        write(lines)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
