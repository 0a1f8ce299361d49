// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// What the importers of If, Loop and Scan share.
#pragma once

#include "kiln/api/network/loop.h"
#include "onnx/node_context.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::onnx {

// The graph of an attribute; ImportError if the node lacks it.
GraphProto const& graphAttribute(NodeContext& context, std::string_view name);

// The element of an INT32, INT64 or BOOL of one element that is a constant, or that the network
// computes from constants and known extents; nothing for other values.
std::optional<int64_t> knownNumber(Value const& value);

// A scalar constant that needs no layer.
Value truthOf(NodeContext& context, bool truth);

// A value of an inner graph as a tensor. ImportError, naming the role, if it is none.
nvinfer1::ITensor& tensorOf(NodeContext& context, Value& value, std::string const& role);

// The same without dimensions: ImportError unless it has one element.
nvinfer1::ITensor& scalarOf(NodeContext& context, Value& value, std::string const& role);

// A loop of the network while a node is imported onto it.
class LoopBuilder {
public:
    explicit LoopBuilder(NodeContext& context);

    nvinfer1::ILoop& loop() const { return loop_; }
    void limit(nvinfer1::ITensor& tensor, nvinfer1::TripLimit kind);

    // A value that passes carry. `role` names it in messages and layers.
    nvinfer1::IRecurrenceLayer& carry(Value& initial, std::string const& role);
    // Sets its value for the next pass. ImportError if type or rank change, or known extents.
    void setNext(nvinfer1::IRecurrenceLayer& carried, Value& next, std::string const& role);
    // Counts passes from 0.
    nvinfer1::IRecurrenceLayer& carryCounter();

    // The value behind the last pass.
    Value last(nvinfer1::IRecurrenceLayer& carried, std::string const& role);
    // The values of all passes along a new axis of `length` slices.
    Value stack(Value& value, nvinfer1::LoopOutput kind, int32_t axis, nvinfer1::ITensor& length,
                std::string const& role);

private:
    NodeContext& context_;
    nvinfer1::ILoop& loop_;
};

} // namespace kiln::onnx
