// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Arithmetic on shape tensors: int64 vectors that layers compute. Vectors that depend on extents
// only are known before the network runs.
#pragma once

#include "onnx/checked_numbers.h"
#include "onnx/node_context.h"

#include <cstdint>
#include <vector>

namespace kiln::onnx {

// Larger constants are left to layers, so that the parser folds only small ones.
constexpr int64_t kMostFolded = 64;

// An int64 constant that needs no layer: a vector, or a scalar for rank 0.
Value constantOf(NodeContext& context, std::vector<int64_t> const& values, int32_t rank = 1);

class ShapeMath {
public:
    using Tensor = nvinfer1::ITensor;

    // The layers are named after the node, with running numbers.
    explicit ShapeMath(NodeContext& context) : context_(context) {}

    Tensor& vector(std::vector<int64_t> const& values);

    // The extents of a tensor; the second function returns those of some axes.
    Tensor& extents(Tensor& tensor);
    Tensor& extents(Tensor& tensor, std::vector<int32_t> const& axes);

    // Input `index`, of INT32 or INT64 and rank 0 or 1, as an int64 vector. Clamps constants that
    // mean "up to the end", so that arithmetic on them does not overflow. Numbers that only data
    // gives become extents, see data_extents.h.
    Tensor& operand(size_t index);

    Tensor& combine(Tensor& x, nvinfer1::ElementWiseOperation operation, Tensor& y);
    // condition ? x : y
    Tensor& choose(Tensor& condition, Tensor& x, Tensor& y);

    // Number of elements of a vector.
    int64_t lengthOf(Tensor& vector) const { return context_.dims(vector).d[0]; }

private:
    std::string nextName() { return text("shape", count_++); }

    NodeContext& context_;
    int32_t count_ = 0;
};

} // namespace kiln::onnx
