// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Bodies of Loop that exporters write for common programs.
#pragma once

#include "onnx/proto/messages.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kiln::onnx {

// A loop that goes on while a carried number, which each pass increases by 1, is below a limit, and
// perhaps while other conditions hold. Step and limit are names from around the body or of
// constants in it.
struct CountedLoop {
    size_t carried = 0; // the number of the carried value
    std::string step;   // what is added, to be the constant 1
    std::string limit;
    bool inclusive = false;           // the number may also be equal to the limit
    bool isAlone = true;              // there is no other condition
    std::vector<std::string> endings; // names that have to be false, if this is to be a condition
};

// A carried tensor that each pass makes longer by what it joins to it.
struct GrowingTensor {
    int64_t axis = 0;
    bool isInFront = false; // new elements come before those of the earlier passes
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

    // Nothing if the body does anything with the carried tensor of this number besides one Concat,
    // or anything besides carrying it with the result of that.
    std::optional<GrowingTensor> growth(size_t carried) const;

    // The node Constant in the body that has this name; null if there is none.
    NodeProto const* constant(std::string_view name) const;

private:
    struct Comparison {
        std::string less;
        std::string more;
        bool inclusive;
    };

    // A condition of the loop that holds if all of these do.
    struct Conditions {
        std::vector<std::string> names;
        std::vector<std::string> endings;
    };

    NodeProto const* producerOf(std::string_view name) const;
    std::string original(std::string name) const;
    bool isFromAround(std::string_view name) const;
    bool isFixed(std::string_view name) const;
    Conditions conditions() const;
    std::optional<Comparison> comparison(std::string const& name) const;
    std::optional<CountedLoop> counted(Comparison const& comparison) const;

    GraphProto const& body_;
    std::unordered_map<std::string_view, NodeProto const*> producers_;
    std::unordered_map<std::string_view, size_t> reads_; // how often nodes read a name
};

} // namespace kiln::onnx
