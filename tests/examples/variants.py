# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes wrong copies of the example plugin: its source with one method replaced."""

from matrix.forms import HERE, PluginForm

STYLES = {"V2DynamicExt": "circ_pad_v2.py", "V3": "circ_pad_v3.py"}

ZERO_PADDING = """
def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
    if input_desc[0].type != self.logged_type:
        self.log_type(input_desc[0].type)
    x = as_array(inputs[0], input_desc[0], 1).reshape(tuple(input_desc[0].dims))
    y = as_array(outputs[0], output_desc[0], 1).reshape(tuple(output_desc[0].dims))
    y[...] = np.pad(x, [(0, 0)] * (x.ndim - len(self.pairs)) + self.pairs)
"""

FLOAT_ONLY = """
def supports_format_combination(self, pos, in_out, num_inputs):
    desc = getattr(in_out[pos], "desc", in_out[pos])
    return desc.format == trt.TensorFormat.LINEAR and desc.type == trt.float32
"""


def make_variant(style, method, folder):
    """Returns the form of a copy in which `method` replaces the method of the same name."""
    original = (HERE / STYLES[style]).read_text()
    name = method.split("(")[0].split()[-1]
    patch = f"\n\n{method.strip()}\n\n\nCircPadPlugin.{name} = {name}\n"
    path = folder / f"{name}_{STYLES[style]}"
    path.write_text(original + patch)
    return PluginForm(style, "Python", path)
