// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// A carried value of a loop that each pass makes longer: a sequence, or a tensor to which it joins
// something. No loop of a network can carry it, so what the passes add is stacked, and joined to
// the first value behind the loop.
#pragma once

#include "onnx/counted_loop.h"
#include "onnx/node_context.h"
#include "onnx/term.h"

#include <optional>
#include <string>

namespace kiln::onnx {

class GrowingValue {
public:
    // The carried value of this number. It grows if `body` says so.
    GrowingValue(NodeContext& context, LoopBody const& body, size_t carried, Value const& initial);

    bool grows() const { return isSequence_ || tensor_; }
    // Whether what a pass adds comes before what the earlier ones added.
    bool isInFront() const { return tensor_ && tensor_->isInFront; }

    // What the body takes for the value: nothing, so that its result is what a pass adds.
    Value nothing(std::string const& role) const;

    // What a pass adds, and the axis along which passes are stacked.
    struct Part {
        Value value;
        int32_t axis = 0;
        bool isSlice = true; // has no such axis itself
    };
    Part partOf(Value& added, std::string const& role) const;

    // The value behind the loop, of the parts of all passes.
    Value joined(Value const& all, Part const& part, std::string const& role) const;

private:
    int32_t axisOf(Term tensor) const;

    NodeContext* context_;
    Value initial_;
    bool isSequence_ = false;
    std::optional<GrowingTensor> tensor_;
};

} // namespace kiln::onnx
