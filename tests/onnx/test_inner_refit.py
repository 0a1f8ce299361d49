# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Refit from a model whose weights lie in loops, branches and functions."""

import kiln as trt
import numpy as np
import onnx_lab as lab

TEXT = """
g (float[2] x, bool c) => (float[2] y, float[2] z)
<float[2] w = {1, 2}> {
  m = Constant <value_int = 3> ()
  yes = Constant <value = bool {1}> ()
  y = Loop (m, yes, x) <
    body = b (int64 i, bool c, float[2] v) => (bool go, float[2] o) <float[2] k = {0.5, 0.25}> {
      go = Identity (c)
      t = Mul (v, k)
      o = Add (t, w)
    }
  >
  a = local.f (x)
  z = If (c) <
    then_branch = t () => (p) { p = Add (a, w) },
    else_branch = e () => (q) <float[2] r = {7, 8}> { q = Sub (a, r) }
  >
}
<domain: "local", opset_import: ["" : 17]>
f (a) => (b) {
  k = Constant <value = float[2] {3, 4}> ()
  b = Mul (a, k)
}
"""

CHANGES = {"{1, 2}": "{3, 5}", "{0.5, 0.25}": "{2, 3}", "{7, 8}": "{1, 1}", "{3, 4}": "{5, 6}"}


def test_weights_of_inner_graphs():
    messages = lab.Messages()
    network, _parser, builder = lab.parsed(lab.model_of(TEXT), messages)
    config = builder.create_builder_config()
    config.set_flag(trt.BuilderFlag.REFIT)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, messages.errors
    text = TEXT
    for old, new in CHANGES.items():
        text = text.replace(old, new)
    changed = lab.model_of(text)
    for truth in (True, False):
        engine = trt.Runtime(messages).deserialize_cuda_engine(plan)
        refitter = trt.Refitter(engine, messages)
        from_onnx = trt.OnnxParserRefitter(refitter, messages)
        assert from_onnx.refit_from_bytes(changed.SerializeToString()), messages.errors
        assert refitter.refit_cuda_engine(), messages.errors
        feeds = {"x": np.array([1, 2], np.float32), "c": np.array(truth)}
        results = lab.run_engine(engine, feeds, messages)
        for name, wanted in lab.expected(changed, feeds).items():
            np.testing.assert_allclose(results[name], wanted, rtol=1e-6)


def test_model_of_another_structure():
    messages = lab.Messages()
    network, _parser, builder = lab.parsed(lab.model_of(TEXT), messages)
    config = builder.create_builder_config()
    config.set_flag(trt.BuilderFlag.REFIT)
    plan = builder.build_serialized_network(network, config)
    engine = trt.Runtime(messages).deserialize_cuda_engine(plan)
    refitter = trt.Refitter(engine, messages)
    from_onnx = trt.OnnxParserRefitter(refitter, messages)
    other = lab.model_of(TEXT.replace("t = Mul (v, k)", "t = Neg (v)"))
    assert not from_onnx.refit_from_bytes(other.SerializeToString())
    error = from_onnx.get_error(0)
    assert error.code() == trt.ErrorCode.REFIT_FAILED
    assert "expected a model of the same structure as the engine's" in error.desc()
