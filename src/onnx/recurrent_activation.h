// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// The activations that LSTM, GRU and RNN name in an attribute.
#pragma once

#include "onnx/term.h"

#include <functional>
#include <string>
#include <vector>

namespace kiln::onnx {

using GateFunction = std::function<Term(Term)>;

// The functions of all directions in the order of the attribute `activations`; without it, those
// given for one direction. Entries of activation_alpha and activation_beta belong to the functions
// that have such a parameter, in their order.
std::vector<GateFunction> gateFunctions(NodeContext& context,
                                        std::vector<std::string> const& ofOneDirection,
                                        size_t directions);

} // namespace kiln::onnx
