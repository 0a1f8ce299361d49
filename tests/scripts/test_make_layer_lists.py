# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The lists of layers that readers see, and how their sources are read."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

import make_layer_lists
import make_network_adders
import network_header

SCRIPTS = Path(network_header.__file__).parent


def test_lists_are_current():
    command = [sys.executable, SCRIPTS / "make_layer_lists.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("", ()),
        ("ITensor& input, uint32_t axes", ("ITensor&", "uint32_t")),
        ("nvinfer1::ITensor* const* inputs, int32_t", ("ITensor* const*", "int32_t")),
        ("Dims const& start,\n    char const* name", ("Dims const&", "char const*")),
        ("nvinfer1::Weights", ("Weights",)),
    ],
)
def test_parameter_types(text, types):
    assert network_header.parameter_types(text) == types


@pytest.mark.parametrize(
    ("name", "python"),
    [
        ("addTopK", "add_topk"),
        ("addLRN", "add_lrn"),
        ("addKVCacheUpdate", "add_kv_cache_update"),
        ("addParametricReLU", "add_parametric_relu"),
        ("addMoE", "add_moe"),
        ("addScaleNd", "add_scale_nd"),
        ("addNormalizationV2", "add_normalization_v2"),
    ],
)
def test_python_names(name, python):
    assert network_header.python_name(name) == python


def test_definitions_are_told_apart_by_parameters():
    source = """
    nvinfer1::ITopKLayer* NetworkDefinition::addTopK(nvinfer1::ITensor& input, TopKOperation,
                                                     int32_t k, uint32_t axes) noexcept {
    """
    (found,) = network_header.definitions(source)
    both = [adder.parameters for adder in network_header.adders() if adder.name == "addTopK"]
    assert found == ("addTopK", both[0]) != ("addTopK", both[1])


def test_a_definition_is_not_refused(tmp_path):
    source = tmp_path / "shape.cpp"
    source.write_text("nvinfer1::IShapeLayer* NetworkDefinition::addShape(ITensor& x) noexcept {")
    sys.argv = ["make_network_adders.py", str(tmp_path), str(source)]
    make_network_adders.main()
    refused = (tmp_path / "refused_adders.cpp").read_text()
    assert "addShape" not in refused and "addSlice" in refused
    assert "addShape" in (tmp_path / "api" / "network_adders.inc").read_text()


def test_an_importer_without_description(tmp_path, monkeypatch):
    monkeypatch.setattr(make_layer_lists, "ROOT", tmp_path)
    importer = tmp_path / "twist.cpp"
    importer.write_text("// Twist.\n")
    with pytest.raises(ValueError, match=r"twist\.cpp: expected a comment '// Layer: "):
        make_layer_lists.operator_row(importer)
    importer.write_text('// Layer: twist. One\n// axis.\n\nregistry.add("Twist", twist);')
    assert make_layer_lists.operator_row(importer) == "| `Twist` | twist | One axis |"
