// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// The value of a name while a graph is imported: a tensor of the network, or a constant, which
// becomes a layer only if a layer needs it as a tensor. A sequence is a list of values that exists
// during the import only, and so does an optional.
#pragma once

#include "kiln/api/network/tensor.h"
#include "kiln/api/weights.h"
#include "onnx/proto/messages.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

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
    explicit Value(std::vector<Value> elements)
        : sequence(std::make_shared<std::vector<Value> const>(std::move(elements))) {}

    // An input that a call leaves out, or an optional without a value.
    static Value none() {
        Value value;
        value.isNone = true;
        return value;
    }

    // Whether an importer set it.
    bool isSet() const { return isConstant || isNone || tensor != nullptr || sequence != nullptr; }

    bool isConstant{false};
    bool isNone{false};
    Constant constant{};
    // The type in the model, where a network has another one for it; kUndefined: that of the
    // network.
    ElementType meant{ElementType::kUndefined};
    // Of a few DOUBLE numbers, which the network has as FLOAT: all digits, as constants or as a
    // tensor of bits; null if there are no others. See double_numbers.h.
    std::shared_ptr<std::vector<double> const> doubles;
    nvinfer1::ITensor* bits{nullptr};
    // A number of Python, which an exporter narrows by casts that the program does not have.
    bool isPythonFloat{false};
    // No element is zero, whatever the shape.
    bool isNeverZero{false};
    nvinfer1::ITensor* tensor{nullptr}; // of a constant: null until a layer needs it
    std::shared_ptr<std::vector<Value> const> sequence; // its elements; null if it is none
    // Of an element of a sequence: stands for as many elements as the tensor's first axis has, the
    // slices along it. A loop has stacked them.
    bool isStack{false};
    // The tensor has the elements of this mask as numbers, or, in one element, their sum.
    nvinfer1::ITensor* mask{nullptr};
    bool countsMask{false};
    // The tensor is the sum of this one and `offset`; null if that is not known.
    nvinfer1::ITensor const* base{nullptr};
    int64_t offset{0};
};

} // namespace kiln::onnx
