// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Bodies of Loop that exporters write for common programs.
#pragma once

#include "onnx/proto/messages.h"

#include <optional>
#include <string>

namespace kiln::onnx {

// A loop that goes on while a carried number, which each pass increases by 1, is below a limit.
struct CountedLoop {
    size_t carried = 0;     // the number of the carried value
    std::string step;       // what is added: a name from around the body, to be the constant 1
    std::string limit;      // a name from around the body
    bool inclusive = false; // the number may also be equal to the limit
};

// Nothing if the condition of the body says something else.
std::optional<CountedLoop> countedLoop(GraphProto const& body);

// Whether a body appends one tensor to the carried sequence of this number, and does nothing else
// with it.
bool appendsTo(GraphProto const& body, size_t carried);

} // namespace kiln::onnx
