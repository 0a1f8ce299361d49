// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/term.h"

#include "onnx/half.h"
#include "onnx/shape_math.h"
#include "onnx/shapes.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;
using nvinfer1::ElementWiseOperation;
using nvinfer1::MatrixOperation;

namespace {

template <typename Element>
void put(std::byte* to, Element element) {
    std::memcpy(to, &element, sizeof(element));
}

// Writes the number as an element of the type; returns the size of the element.
size_t write(NodeContext const& context, double value, DataType type, std::byte* to) {
    switch (type) {
    case DataType::kFLOAT: put(to, static_cast<float>(value)); return sizeof(float);
    case DataType::kHALF: put(to, floatToHalf(static_cast<float>(value))); return 2;
    case DataType::kBF16: put(to, floatToBfloat16(static_cast<float>(value))); return 2;
    case DataType::kINT64: put(to, static_cast<int64_t>(value)); return sizeof(int64_t);
    case DataType::kINT32: put(to, static_cast<int32_t>(value)); return sizeof(int32_t);
    case DataType::kINT8: put(to, static_cast<int8_t>(value)); return 1;
    case DataType::kUINT8: put(to, static_cast<uint8_t>(value)); return 1;
    case DataType::kBOOL: put(to, static_cast<uint8_t>(value != 0.0)); return 1;
    default:
        context.fail(ErrorCode::kUNSUPPORTED_NODE_DATATYPE,
                     text("expected a type of numbers, got ", type, "."));
    }
}

Dims oneAxis(int64_t number) {
    return Dims{1, {number}};
}

uint32_t maskOf(Axes const& axes) {
    uint32_t mask = 0;
    for (int32_t const axis : axes) {
        mask |= 1U << static_cast<uint32_t>(axis);
    }
    return mask;
}

} // namespace

Term Term::of(nvinfer1::ILayer* layer, int32_t output) const {
    return {*context_, *context_->named(layer, context_->nextName()).getOutput(output)};
}

Term Term::constant(NodeContext& context, std::vector<double> const& values, Dims const& dims,
                    DataType type) {
    constexpr size_t kMostBytes = 8;
    std::byte* const bytes = context.tensors().store.allocate(values.size() * kMostBytes);
    std::byte* to = bytes;
    for (double const value : values) {
        to += write(context, value, type, to);
    }
    auto* layer =
        context.network().addConstant(dims, {type, bytes, static_cast<int64_t>(values.size())});
    return {context, *context.named(layer, context.nextName()).getOutput(0)};
}

Term Term::number(NodeContext& context, double value, DataType type, int32_t rank) {
    return constant(context, {value}, repeatedDims(rank, 1, "scalar"), type);
}

Term Term::vector(NodeContext& context, std::vector<int64_t> const& values) {
    Constant const constant = constantOf(context, values).constant;
    auto* layer = context.network().addConstant(constant.dims, constant.weights);
    return {context, *context.named(layer, context.nextName()).getOutput(0)};
}

Term Term::range(Term count) {
    NodeContext& context = count.context();
    auto* layer =
        context.network().addFill(oneAxis(0), nvinfer1::FillOperation::kLINSPACE, DataType::kINT64);
    auto& fill = context.named(layer, context.nextName());
    fill.setInput(0, count.tensor());
    fill.setInput(1, number(context, 0, DataType::kINT64).tensor());
    fill.setInput(2, vector(context, {1}).tensor());
    return {context, *fill.getOutput(0)};
}

Term Term::zeros() const {
    return like(0).expanded(shape());
}

Term Term::cast(DataType type) const {
    return type == this->type() ? *this : of(context_->network().addCast(*tensor_, type));
}

Term Term::unary(nvinfer1::UnaryOperation operation) const {
    return of(context_->network().addUnary(*tensor_, operation));
}

Term Term::activation(nvinfer1::ActivationType type, float alpha, float beta) const {
    auto* layer = context_->network().addActivation(*tensor_, type);
    Term const result = of(layer);
    layer->setAlpha(alpha);
    layer->setBeta(beta);
    return result;
}

Term Term::binary(ElementWiseOperation operation, Term other) const {
    int32_t const most = std::max(rank(), other.rank());
    return of(context_->network().addElementWise(withRank(most).tensor(),
                                                 other.withRank(most).tensor(), operation));
}

Term Term::choose(Term x, Term y) const {
    int32_t const most = std::max({rank(), x.rank(), y.rank()});
    return of(context_->network().addSelect(withRank(most).tensor(), x.withRank(most).tensor(),
                                            y.withRank(most).tensor()));
}

int32_t Term::own(int32_t axis) const {
    int32_t const most = rank();
    if (axis < 0 || axis >= most) {
        context_->fail(ErrorCode::kINVALID_NODE,
                       text("expected more than ", axis, " dimensions, got ", dims(), "."));
    }
    return axis;
}

Term Term::reduce(nvinfer1::ReduceOperation operation, Axes const& axes, bool keep) const {
    return axes.empty()
               ? *this
               : of(context_->network().addReduce(*tensor_, operation, maskOf(axes), keep));
}

Term Term::softmax(int32_t axis) const {
    auto* layer = context_->network().addSoftMax(*tensor_);
    Term const result = of(layer);
    layer->setAxes(maskOf({own(axis)}));
    return result;
}

Term Term::runningSum(int32_t axis, bool exclusive, bool reverse) const {
    Term const which = number(*context_, axis, DataType::kINT64);
    return of(context_->network().addCumulative(
        *tensor_, which.tensor(), nvinfer1::CumulativeOperation::kSUM, exclusive, reverse));
}

Term Term::matmul(Term other, bool transposeThis, bool transposeOther) const {
    int32_t const batchRank = std::max({rank() - 2, other.rank() - 2, 0});
    auto const operand = [&](Term x) { return x.withRank(batchRank + std::min(x.rank(), 2)); };
    auto const operation = [](Term x, bool transposed) {
        return x.rank() == 1 ? MatrixOperation::kVECTOR
               : transposed  ? MatrixOperation::kTRANSPOSE
                             : MatrixOperation::kNONE;
    };
    return of(context_->network().addMatrixMultiply(
        operand(*this).tensor(), operation(*this, transposeThis), operand(other).tensor(),
        operation(other, transposeOther)));
}

Term Term::shape() const {
    return of(context_->network().addShape(*tensor_));
}

Term Term::extents(Axes const& axes) const {
    Dims const known = dims();
    std::vector<int64_t> numbers;
    for (int32_t const axis : axes) {
        numbers.push_back(known.d[own(axis)]);
    }
    if (std::find(numbers.begin(), numbers.end(), -1) == numbers.end()) {
        return vector(*context_, numbers);
    }
    return shape().gathered(vector(*context_, {axes.begin(), axes.end()}), 0);
}

Term Term::elements() const {
    return rank() == 0 ? vector(*context_, {1}) : shape().product({0});
}

Term Term::transposed(Axes const& order) const {
    nvinfer1::Permutation permutation{};
    std::copy(order.begin(), order.end(), permutation.order);
    auto* layer = context_->network().addShuffle(*tensor_);
    Term const result = of(layer);
    layer->setFirstTranspose(permutation);
    return result;
}

Term Term::swapped(int32_t x, int32_t y) const {
    Axes order = axesBetween(0, rank());
    std::swap(order[static_cast<size_t>(own(x))], order[static_cast<size_t>(own(y))]);
    return transposed(order);
}

Term Term::reshaped(Term shape) const {
    auto* layer = context_->network().addShuffle(*tensor_);
    Term const result = of(layer);
    layer->setZeroIsPlaceholder(false);
    layer->setInput(1, shape.tensor());
    return result;
}

Term Term::reshaped(std::vector<int64_t> const& shape) const {
    return {*context_,
            reshape(*context_, *tensor_, toDims(shape, "shape"), false, context_->nextName())};
}

Term Term::inserted(Axes const& axes) const {
    return axes.empty() ? *this
                        : Term(*context_,
                               *insertAxes(*context_, value(), axes, context_->nextName()).tensor);
}

Term Term::removed(Axes const& axes) const {
    for (int32_t const axis : axes) {
        static_cast<void>(own(axis));
    }
    return axes.empty() ? *this
                        : Term(*context_,
                               *removeAxes(*context_, value(), axes, context_->nextName()).tensor);
}

Term Term::withRank(int32_t rank) const {
    return inserted(axesBetween(0, std::max(rank - this->rank(), 0)));
}

Term Term::expanded(Term shape) const {
    int32_t const rank = toRank(shape.dims().d[0], "shape");
    Term const source = withRank(rank);
    if (rank == 0) {
        return source;
    }
    Dims const none = repeatedDims(rank, 0, "output");
    auto* layer = context_->network().addSlice(source.tensor(), none, none, none);
    Term const result = of(layer);
    layer->setInput(2, shape.tensor());
    // An extent of 1 is repeated with a step of 0.
    layer->setInput(3, (source.shape() - 1).clamp(0, 1).tensor());
    return result;
}

Term Term::sliced(int32_t axis, int64_t start, int64_t count) const {
    auto* layer =
        context_->network().addSlice(*tensor_, oneAxis(start), oneAxis(count), oneAxis(1));
    Term const result = of(layer);
    layer->setAxes(oneAxis(own(axis)));
    return result;
}

Term Term::sliced(Axes const& axes, Term starts, Term counts, nvinfer1::SampleMode mode) const {
    std::vector<int64_t> const numbers(axes.begin(), axes.end());
    Dims const which = toDims(numbers, "axes");
    Dims const none = repeatedDims(which.nbDims, 0, "axes");
    Dims const ones = repeatedDims(which.nbDims, 1, "axes");
    auto* layer = context_->network().addSlice(*tensor_, none, none, ones);
    Term const result = of(layer);
    layer->setAxes(which);
    layer->setMode(mode);
    layer->setInput(1, starts.tensor());
    layer->setInput(2, counts.tensor());
    return result;
}

Term Term::reversed(int32_t axis) const {
    Term const count = extent(axis);
    auto* layer = context_->network().addSlice(*tensor_, oneAxis(0), oneAxis(0), oneAxis(-1));
    Term const result = of(layer);
    layer->setAxes(oneAxis(axis));
    layer->setInput(1, (count - 1).max(0.0).tensor());
    layer->setInput(2, count.tensor());
    return result;
}

Term Term::gathered(Term indices, int32_t axis) const {
    return of(context_->network().addGather(*tensor_, indices.tensor(), axis));
}

Term Term::gatheredElements(Term indices, int32_t axis) const {
    auto* layer =
        context_->network().addGatherV2(*tensor_, indices.tensor(), nvinfer1::GatherMode::kELEMENT);
    Term const result = of(layer);
    layer->setGatherAxis(axis);
    return result;
}

Term Term::gatheredND(Term indices, int32_t batchAxes) const {
    auto* layer =
        context_->network().addGatherV2(*tensor_, indices.tensor(), nvinfer1::GatherMode::kND);
    Term const result = of(layer);
    layer->setNbElementWiseDims(batchAxes);
    return result;
}

Term Term::joined(std::vector<Term> const& terms, int32_t axis) {
    if (terms.size() == 1) {
        return terms[0];
    }
    std::vector<nvinfer1::ITensor*> tensors;
    for (Term const& term : terms) {
        tensors.push_back(&term.tensor());
    }
    auto* layer = terms[0].context().network().addConcatenation(
        tensors.data(), toInt32(static_cast<int64_t>(tensors.size()), "inputs"));
    Term const result = terms[0].of(layer);
    layer->setAxis(axis);
    return result;
}

Term operator+(Term x, Term y) {
    return x.binary(ElementWiseOperation::kSUM, y);
}
Term operator-(Term x, Term y) {
    return x.binary(ElementWiseOperation::kSUB, y);
}
Term operator*(Term x, Term y) {
    return x.binary(ElementWiseOperation::kPROD, y);
}
Term operator/(Term x, Term y) {
    return x.binary(ElementWiseOperation::kDIV, y);
}
Term operator==(Term x, Term y) {
    return x.binary(ElementWiseOperation::kEQUAL, y);
}
Term operator<(Term x, Term y) {
    return x.binary(ElementWiseOperation::kLESS, y);
}
Term operator>(Term x, Term y) {
    return x.binary(ElementWiseOperation::kGREATER, y);
}
Term operator<=(Term x, Term y) {
    return x < y || x == y; // not the negation of the other comparison, because of NaN
}
Term operator>=(Term x, Term y) {
    return x > y || x == y;
}
Term operator&&(Term x, Term y) {
    return x.binary(ElementWiseOperation::kAND, y);
}
Term operator||(Term x, Term y) {
    return x.binary(ElementWiseOperation::kOR, y);
}
Term operator!(Term x) {
    return x.unary(nvinfer1::UnaryOperation::kNOT);
}
Term operator-(Term x) {
    return x.unary(nvinfer1::UnaryOperation::kNEG);
}

Axes axesBetween(int32_t first, int32_t end) {
    Axes axes(static_cast<size_t>(std::max(end - first, 0)));
    std::iota(axes.begin(), axes.end(), first);
    return axes;
}

bool isReal(DataType type) {
    return type == DataType::kFLOAT || type == DataType::kHALF || type == DataType::kBF16;
}

bool isInteger(DataType type) {
    return type == DataType::kINT64 || type == DataType::kINT32 || type == DataType::kINT8 ||
           type == DataType::kUINT8;
}

} // namespace kiln::onnx
