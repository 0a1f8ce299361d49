// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/expr_builder.h"

#include <algorithm>
#include <new>

#include "base/error.h"

namespace kiln::plugin {

nvinfer1::IDimensionExpr const* ExprBuilder::wrap(graph::ExprRef ref) {
    return &store_.emplace_back(pool_, ref);
}

DimensionExpr const* ExprBuilder::own(nvinfer1::IDimensionExpr const* expr) const noexcept {
    for (DimensionExpr const& known : store_) {
        if (&known == expr) {
            return &known;
        }
    }
    return expr == &zero_ ? &zero_ : nullptr;
}

template <typename Make>
nvinfer1::IDimensionExpr const* ExprBuilder::guarded(std::string& reason, Make&& make) noexcept {
    try {
        try {
            return make();
        } catch (Error const& error) {
            reason = error.what();
            return nullptr;
        }
    } catch (...) {
        exhausted_ = true;
    }
    return &zero_;
}

std::string const& ExprBuilder::problem() const {
    if (exhausted_) {
        throw std::bad_alloc();
    }
    return problem_;
}

nvinfer1::IDimensionExpr const* ExprBuilder::constant(int64_t value) noexcept {
    return guarded(refusal_, [&] { return wrap(pool_.constant(value)); });
}

nvinfer1::IDimensionExpr const* ExprBuilder::operation(
    nvinfer1::DimensionOperation op, nvinfer1::IDimensionExpr const& first,
    nvinfer1::IDimensionExpr const& second) noexcept {
    return guarded(refusal_, [&] {
        DimensionExpr const* const a = own(&first);
        DimensionExpr const* const b = own(&second);
        if (a == nullptr || b == nullptr) {
            fail(ErrorKind::kInvalidArgument,
                 "an operation was given an expression of another call, or null. Use the "
                 "expressions that this call handed in.");
        }
        return wrap(pool_.binary(op, a->ref(), b->ref()));
    });
}

nvinfer1::IDimensionExpr const* ExprBuilder::declareSizeTensor(
    int32_t outputIndex, nvinfer1::IDimensionExpr const& opt,
    nvinfer1::IDimensionExpr const& upper) noexcept {
    return guarded(problem_, [&] {
        DimensionExpr const* const optimum = own(&opt);
        DimensionExpr const* const bound = own(&upper);
        auto const isThis = [&](SizeTensor const& known) { return known.output == outputIndex; };
        if (outputCount_ == 0) {
            fail(ErrorKind::kInvalidArgument, "a size tensor was declared, but this plugin "
                                              "interface has none. Write it as an IPluginV3.");
        }
        if (outputIndex < 0 || outputIndex >= outputCount_) {
            fail(ErrorKind::kInvalidArgument,
                 "size tensor: expected an output of the plugin, 0 to {}, got {}. Name the output "
                 "that enqueue writes the size to.",
                 outputCount_ - 1, outputIndex);
        }
        if (std::any_of(sizeTensors_.begin(), sizeTensors_.end(), isThis)) {
            fail(ErrorKind::kInvalidArgument,
                 "a size tensor was declared twice for output {}. Declare it once and use its "
                 "expression again.",
                 outputIndex);
        }
        if (optimum == nullptr || bound == nullptr) {
            fail(ErrorKind::kInvalidArgument,
                 "a size tensor was declared with an expression of another call. Use the "
                 "expressions that this call handed in.");
        }
        auto const before = std::find_if(before_.begin(), before_.end(), isThis);
        int32_t const number = before == before_.end() ? pool_.newSizeTensor() : before->number;
        nvinfer1::IDimensionExpr const* const size =
            wrap(pool_.sizeTensor(number, optimum->ref(), bound->ref()));
        sizeTensors_.push_back({outputIndex, number});
        return size;
    });
}

std::optional<graph::ExprRef> ExprBuilder::refOf(
    nvinfer1::IDimensionExpr const* expr) const noexcept {
    DimensionExpr const* const known = own(expr);
    return known == nullptr ? std::nullopt : std::optional(known->ref());
}

nvinfer1::DimsExprs ExprBuilder::wrap(graph::ShapeExpr const& shape) {
    nvinfer1::DimsExprs result{};
    result.nbDims = shape.rank;
    for (int32_t i = 0; i < shape.rank; ++i) {
        result.d[i] = wrap(shape[i]);
    }
    return result;
}

nvinfer1::DimsExprs ExprBuilder::ones() {
    nvinfer1::DimsExprs result{};
    result.nbDims = nvinfer1::Dims::MAX_DIMS;
    std::fill(std::begin(result.d), std::end(result.d), wrap(pool_.constant(1)));
    return result;
}

nvinfer1::DimsExprs ExprBuilder::wrap(graph::ShapeValues const& values) {
    if (values.size() > static_cast<std::size_t>(nvinfer1::Dims::MAX_DIMS)) {
        fail(ErrorKind::kUnsupported,
             "expected a shape input of 0 to {} elements, as many as DimsExprs holds, got {}",
             static_cast<int32_t>(nvinfer1::Dims::MAX_DIMS), values.size());
    }
    nvinfer1::DimsExprs result{};
    result.nbDims = static_cast<int32_t>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        result.d[i] = wrap(values[i]);
    }
    return result;
}

graph::ShapeExpr ExprBuilder::unwrap(nvinfer1::DimsExprs const& shape) const {
    if (shape.nbDims < 0 || shape.nbDims > nvinfer1::Dims::MAX_DIMS) {
        fail(ErrorKind::kInvalidArgument, "expected an output of 0 to {} dimensions, got {}",
             static_cast<int32_t>(nvinfer1::Dims::MAX_DIMS), shape.nbDims);
    }
    graph::ShapeExpr result;
    result.rank = shape.nbDims;
    for (int32_t i = 0; i < shape.nbDims; ++i) {
        DimensionExpr const* const expr = own(shape.d[i]);
        if (expr == nullptr) {
            std::string const null = refusal_.empty() ? "null" : "null. Last refusal: " + refusal_;
            fail(ErrorKind::kInvalidArgument,
                 "expected dimension {} to be an expression of this call, got {}", i,
                 shape.d[i] == nullptr ? null : "a foreign object");
        }
        if (pool_.isConstant(expr->ref()) && expr->getConstantValue() < 0) {
            fail(ErrorKind::kInvalidArgument, "expected dimension {} to be 0 or more, got {}", i,
                 expr->getConstantValue());
        }
        result[i] = expr->ref();
    }
    return result;
}

} // namespace kiln::plugin
