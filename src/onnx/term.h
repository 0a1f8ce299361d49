// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Formulas over tensors, for operators that take several layers. A Term is a tensor of the network
// with the node that it is computed for. Ranks of operands are made equal by leading extents of 1;
// numbers take the type of the tensor beside them.
#pragma once

#include "onnx/checked_numbers.h"
#include "onnx/node_context.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace kiln::onnx {

using Axes = std::vector<int32_t>;

class Term {
public:
    Term() = default; // none
    Term(NodeContext& context, nvinfer1::ITensor& tensor) : context_(&context), tensor_(&tensor) {}

    // Input `index` of the node.
    static Term input(NodeContext& context, size_t index) {
        return {context, context.tensor(index)};
    }
    // A number, as a tensor with `rank` extents of 1. Integers are rounded towards zero.
    static Term number(NodeContext& context, double value, nvinfer1::DataType type,
                       int32_t rank = 0);
    // A vector of INT64.
    static Term vector(NodeContext& context, std::vector<int64_t> const& values);
    // Constant numbers of any type that scalar numbers have.
    static Term constant(NodeContext& context, std::vector<double> const& values,
                         nvinfer1::Dims const& dims, nvinfer1::DataType type);
    // 0, 1, ... of INT64: as many as the only element of `count`, an INT64 vector, says.
    static Term range(Term count);

    bool exists() const { return tensor_ != nullptr; }
    NodeContext& context() const { return *context_; }
    nvinfer1::ITensor& tensor() const { return *tensor_; }
    Value value() const { return Value(*tensor_); }
    nvinfer1::DataType type() const { return tensor_->getType(); }
    nvinfer1::Dims dims() const { return context_->dims(*tensor_); }
    int32_t rank() const { return dims().nbDims; }
    // The only output of a layer.
    Term of(nvinfer1::ILayer* layer, int32_t output = 0) const;
    Term like(double value) const { return number(*context_, value, type()); }
    Term zeros() const; // of type and shape of the tensor

    Term cast(nvinfer1::DataType type) const; // the tensor itself if it has the type
    Term unary(nvinfer1::UnaryOperation operation) const;
    Term activation(nvinfer1::ActivationType type, float alpha = 0, float beta = 0) const;
    Term binary(nvinfer1::ElementWiseOperation operation, Term other) const;
    Term exp() const { return unary(nvinfer1::UnaryOperation::kEXP); }
    Term log() const { return unary(nvinfer1::UnaryOperation::kLOG); }
    Term sqrt() const { return unary(nvinfer1::UnaryOperation::kSQRT); }
    Term abs() const { return unary(nvinfer1::UnaryOperation::kABS); }
    Term floor() const { return unary(nvinfer1::UnaryOperation::kFLOOR); }
    Term round() const { return unary(nvinfer1::UnaryOperation::kROUND); }
    Term cos() const { return unary(nvinfer1::UnaryOperation::kCOS); }
    Term sin() const { return unary(nvinfer1::UnaryOperation::kSIN); }
    Term sigmoid() const { return activation(nvinfer1::ActivationType::kSIGMOID); }
    Term tanh() const { return activation(nvinfer1::ActivationType::kTANH); }
    Term max(Term other) const { return binary(nvinfer1::ElementWiseOperation::kMAX, other); }
    Term min(Term other) const { return binary(nvinfer1::ElementWiseOperation::kMIN, other); }
    Term pow(Term other) const { return binary(nvinfer1::ElementWiseOperation::kPOW, other); }
    Term floorDiv(Term other) const {
        return binary(nvinfer1::ElementWiseOperation::kFLOOR_DIV, other);
    }
    Term max(double x) const { return max(like(x)); }
    Term min(double x) const { return min(like(x)); }
    Term pow(double x) const { return pow(like(x)); }
    Term floorDiv(double x) const { return floorDiv(like(x)); }
    Term clamp(double low, double high) const { return max(low).min(high); }
    // this ? x : y; conditions are BOOL.
    Term choose(Term x, Term y) const;

    Term reduce(nvinfer1::ReduceOperation operation, Axes const& axes, bool keep) const;
    Term sum(Axes const& axes, bool keep = true) const {
        return reduce(nvinfer1::ReduceOperation::kSUM, axes, keep);
    }
    Term mean(Axes const& axes, bool keep = true) const {
        return reduce(nvinfer1::ReduceOperation::kAVG, axes, keep);
    }
    Term largest(Axes const& axes, bool keep = true) const {
        return reduce(nvinfer1::ReduceOperation::kMAX, axes, keep);
    }
    Term smallest(Axes const& axes, bool keep = true) const {
        return reduce(nvinfer1::ReduceOperation::kMIN, axes, keep);
    }
    Term product(Axes const& axes, bool keep = true) const {
        return reduce(nvinfer1::ReduceOperation::kPROD, axes, keep);
    }
    Term softmax(int32_t axis) const;
    Term runningSum(int32_t axis, bool exclusive = false, bool reverse = false) const;
    // The product of matrices and vectors, as in NumPy.
    Term matmul(Term other, bool transposeThis = false, bool transposeOther = false) const;

    // Shapes: INT64 vectors.
    Term shape() const;
    Term extent(int32_t axis) const { return extents({axis}); } // a vector of one element
    Term extents(Axes const& axes) const;
    Term elements() const; // their number, a vector of one element

    Term transposed(Axes const& order) const;
    Term swapped(int32_t x, int32_t y) const;
    // 0 means 0; one extent may be -1.
    Term reshaped(Term shape) const;
    Term reshaped(std::vector<int64_t> const& shape) const;
    Term inserted(Axes const& axes) const;
    Term removed(Axes const& axes) const;
    Term withRank(int32_t rank) const;
    Term expanded(Term shape) const;
    // `count` elements along an axis.
    Term sliced(int32_t axis, int64_t start, int64_t count) const;
    Term sliced(Axes const& axes, Term starts, Term counts,
                nvinfer1::SampleMode mode = nvinfer1::SampleMode::kSTRICT_BOUNDS) const;
    Term reversed(int32_t axis) const;
    Term gathered(Term indices, int32_t axis) const;
    Term gatheredElements(Term indices, int32_t axis) const;
    Term gatheredND(Term indices, int32_t batchAxes = 0) const;
    static Term joined(std::vector<Term> const& terms, int32_t axis);

private:
    // An axis of the tensor; ImportError if it has none of this number.
    int32_t own(int32_t axis) const;

    NodeContext* context_ = nullptr;
    nvinfer1::ITensor* tensor_ = nullptr;
};

Term operator+(Term x, Term y);
Term operator-(Term x, Term y);
Term operator*(Term x, Term y);
Term operator/(Term x, Term y);
Term operator==(Term x, Term y);
Term operator<(Term x, Term y);
Term operator>(Term x, Term y);
Term operator<=(Term x, Term y);
Term operator>=(Term x, Term y);
Term operator&&(Term x, Term y);
Term operator||(Term x, Term y);
Term operator!(Term x);
Term operator-(Term x);

inline Term operator+(Term x, double y) {
    return x + x.like(y);
}
inline Term operator-(Term x, double y) {
    return x - x.like(y);
}
inline Term operator*(Term x, double y) {
    return x * x.like(y);
}
inline Term operator/(Term x, double y) {
    return x / x.like(y);
}
inline Term operator-(double x, Term y) {
    return y.like(x) - y;
}
inline Term operator/(double x, Term y) {
    return y.like(x) / y;
}
inline Term operator==(Term x, double y) {
    return x == x.like(y);
}
inline Term operator<(Term x, double y) {
    return x < x.like(y);
}
inline Term operator>(Term x, double y) {
    return x > x.like(y);
}
inline Term operator<=(Term x, double y) {
    return x <= x.like(y);
}
inline Term operator>=(Term x, double y) {
    return x >= x.like(y);
}

// All axes from `first` to before `end`.
Axes axesBetween(int32_t first, int32_t end);

bool isReal(nvinfer1::DataType type);
bool isInteger(nvinfer1::DataType type);

} // namespace kiln::onnx
