// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// The value of a name while a graph is imported: a tensor of the network, or a constant, which
// becomes a layer only if a layer needs it as a tensor.
#pragma once

#include "kiln/api/network/tensor.h"
#include "kiln/api/weights.h"

#include <cstdint>

namespace kiln::onnx {

// Elements in memory that the parser (or its caller) keeps until the engine is built.
struct Constant {
    nvinfer1::Dims dims;
    nvinfer1::Weights weights;
};

struct Value {
    Value() = default;
    explicit Value(nvinfer1::ITensor& tensor) : tensor(&tensor) {}
    explicit Value(Constant const& constant) : isConstant(true), constant(constant) {}

    bool isConstant{false};
    Constant constant{};
    nvinfer1::ITensor* tensor{nullptr}; // of a constant: null until a layer needs it
};

} // namespace kiln::onnx
