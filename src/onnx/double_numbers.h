// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// DOUBLE numbers with all their digits. A network takes DOUBLE as FLOAT, but a few numbers decide
// how often a loop runs and how large a result is: `while t < end: t += step` takes another number
// of passes in FLOAT. So small vectors of DOUBLE have a second tensor, of their bits.
#pragma once

#include "onnx/node_context.h"
#include "onnx/term.h"

namespace kiln::onnx {

// Whether a value is a scalar or a short vector of DOUBLE, of known extents.
bool hasDigits(NodeContext const& context, Value const& value);

// The bits of such a value as a tensor of INT64, made of the FLOAT numbers if it has no others.
Term bitsOf(NodeContext& context, Value& value);

// The value of bits.
Value fromBits(Term bits);

// The same for a number of Python: conversions to FLOAT keep its digits, and FLOAT constants beside
// it are the decimal numbers that they were rounded from.
Value pythonFloat(Term bits);

// Imports arithmetic, comparisons and conversions of such values; false for other nodes.
bool importDigits(NodeContext& context);

// Gives an output that has the elements of input 0 the digits of that.
void keepDigits(NodeContext& context);

} // namespace kiln::onnx
