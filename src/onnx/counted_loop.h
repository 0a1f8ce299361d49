// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Bodies of Loop that exporters write for common programs.
#pragma once

#include "onnx/proto/messages.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kiln::onnx {

// A loop that goes on while a carried number, which each pass increases by 1, is below a limit.
struct CountedLoop {
    size_t carried = 0;     // the number of the carried value
    std::string step;       // what is added: a name from around the body, to be the constant 1
    std::string limit;      // a name from around the body
    bool inclusive = false; // the number may also be equal to the limit
};

class LoopBody {
public:
    // The body must outlive the object.
    explicit LoopBody(GraphProto const& body);

    // Nothing if the condition of the body says something else.
    std::optional<CountedLoop> counted() const;

    // Whether the body appends one tensor to the carried sequence of this number, and does nothing
    // else with it.
    bool appendsTo(size_t carried) const;

private:
    struct Comparison {
        std::string less;
        std::string more;
        bool inclusive;
    };

    NodeProto const* producerOf(std::string_view name) const;
    std::string original(std::string name) const;
    bool isFromAround(std::string_view name) const;
    std::optional<Comparison> condition() const;

    GraphProto const& body_;
    std::unordered_map<std::string_view, NodeProto const*> producers_;
    std::unordered_map<std::string_view, size_t> reads_; // how often nodes read a name
};

} // namespace kiln::onnx
