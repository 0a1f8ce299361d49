# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
import json
import logging
import re

import kiln
import numpy as np
import pytest
import tensorrt as trt
from kiln import _messages, cli

RUN = "[run] input 'x': expected a shape from [1,3] to [8,3] (optimization profile 0), got [9,3]. "
RUN += "Use a shape in that range or build with a wider profile."


def call(monkeypatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["kiln", "explain", *arguments])
    return cli.main()


def test_every_code_is_explained():
    known = _messages.explanations()
    assert len(known) > 1600
    assert all(len(entry.text) > 40 for entry in known.values())


@pytest.mark.parametrize("text", ["run-21", "(run-21)", RUN, f"{RUN} (run-21)"])
def test_explains_a_code_and_a_message(text, monkeypatch, capsys):
    assert call(monkeypatch, text) == 0
    output = capsys.readouterr().out
    assert output.startswith("run-21: [run] input")
    assert "profile" in output.split("\n", 3)[3]
    assert "`" not in output.partition("\n")[2]


def test_json(monkeypatch, capsys):
    assert call(monkeypatch, "run-21", "kiln-4", "--json") == 0
    first, second = json.loads(capsys.readouterr().out)
    assert (first["code"], second["code"]) == ("run-21", "kiln-4")
    assert "run-21" not in first["related"]
    assert first["title"] and first["area"] and first["text"]


@pytest.mark.parametrize("text", ["run-99999", "nothing-1", "my own text"])
def test_unknown_codes(text, monkeypatch, capsys):
    with pytest.raises(SystemExit) as exit_:
        call(monkeypatch, text)
    assert exit_.value.code == 2
    assert re.search(r" \(explain-\d+\)\n$", capsys.readouterr().err)


def test_python_exceptions_end_with_codes():
    with pytest.raises(TypeError) as from_python:
        kiln.DeviceArray((1, 2))
    with pytest.raises(ValueError, match=r"\[threads\]") as from_bindings:
        kiln.set_num_threads(-1)
    with pytest.raises(TypeError) as from_weights:
        trt.Weights(np.array(["a"]))
    for raised in (from_python, from_bindings, from_weights):
        code = kiln.message_code(str(raised.value))
        assert str(raised.value).endswith(f" ({code})")
        assert code in _messages.explanations()


def test_exceptions_of_others_have_no_code():
    with pytest.raises(TypeError) as raised:
        kiln.set_num_threads("two")
    assert kiln.message_code(str(raised.value)) == ""


def test_logging_records_have_codes(caplog):
    logger = kiln.logging_logger("kiln.codes")
    with caplog.at_level(logging.DEBUG, "kiln.codes"):
        network = trt.Builder(logger).create_network()
        assert trt.OnnxParser(network, logger).parse(b"no model") is False
        logger.log(trt.ILogger.INFO, "by hand")
    errors = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert errors and all(record.kiln_code.startswith("onnx-") for record in errors)
    assert caplog.records[-1].kiln_code is None


def test_parser_errors_end_with_codes():
    logger = trt.Logger(trt.Logger.INTERNAL_ERROR)
    network = trt.Builder(logger).create_network()
    parser = trt.OnnxParser(network, logger)
    parser.parse(b"no model")
    assert kiln.message_code(parser.get_error(0).desc()).startswith("onnx-")


def test_a_quoted_message_gives_its_code_once():
    """A plugin's callback that fails by an exception of Kiln: the cause has the code."""
    with pytest.raises(ValueError) as raised:
        kiln.set_num_threads(-1)
    text = _messages.message(f"[plugin] layer 'a', plugin P, enqueue: {raised.value}\nin f.py")
    assert text.count("(threads-1)") == 1
    assert text.endswith("\nin f.py (threads-1)")


def test_only_codes_of_kiln_are_codes():
    assert _messages.code_of("cannot decode the text (utf-8)") is None
    assert _messages.code_of("expected 3, got 4. (run-17)") == "run-17"
