// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Quantize and dequantize layers in formulas.
#pragma once

#include "onnx/term.h"

#include <optional>

namespace kiln::onnx {

// (x - zero) * scale, of the type of the scale. Scales and zero points of more than one element are
// along the axis.
Term dequantized(Term x, Term scale, std::optional<Term> zero, int32_t axis);

// x / scale + zero, of the type of the zero point, else of the type given.
Term quantized(Term x, Term scale, std::optional<Term> zero, int32_t axis,
               nvinfer1::DataType otherwise = nvinfer1::DataType::kUINT8);

} // namespace kiln::onnx
