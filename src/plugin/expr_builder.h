// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>

#include <NvInferRuntime.h>

#include "plugin/failure.h"
#include "plugin/plugin_op.h"

namespace kiln::plugin {

/// One extent as plugins see it.
class DimensionExpr final : public nvinfer1::IDimensionExpr {
public:
    DimensionExpr(graph::ExprPool const& pool, graph::ExprRef ref) : pool_(pool), ref_(ref) {}

    bool isConstant() const noexcept override { return pool_.isConstant(ref_); }
    /// Returns INT64_MIN, as documented, for an extent that is not constant.
    int64_t getConstantValue() const noexcept override { return pool_.constantOr(ref_, INT64_MIN); }
    bool isSizeTensor() const noexcept override {
        return pool_.node(ref_).op == graph::ExprOp::kSizeTensor;
    }
    graph::ExprRef ref() const noexcept { return ref_; }

private:
    graph::ExprPool const& pool_;
    graph::ExprRef ref_;
};

/// The expressions of a network as plugins see them, for one call of a plugin's shape callback.
/// Objects live as long as the builder. The interface cannot throw: a refused call returns null. A
/// refused operation matters only if the plugin returns the null; its error then gives the reason.
/// A refused size tensor is always an error: callers check problem() after the callback, which also
/// reports exhausted memory.
class ExprBuilder final : public nvinfer1::IExprBuilder {
public:
    /// `outputCount`: how many outputs may be size tensors; 0 if the API generation has none.
    /// `before`: size tensors of an earlier call for the same layer. They keep their numbers,
    /// because later layers may use them.
    ExprBuilder(graph::ExprPool& pool, int32_t outputCount, std::vector<SizeTensor> before = {})
        : pool_(pool), outputCount_(outputCount), before_(std::move(before)),
          zero_(pool, pool.constant(0)) {}

    nvinfer1::IDimensionExpr const* constant(int64_t value) noexcept override;
    nvinfer1::IDimensionExpr const* operation(
        nvinfer1::DimensionOperation op, nvinfer1::IDimensionExpr const& first,
        nvinfer1::IDimensionExpr const& second) noexcept override;
    nvinfer1::IDimensionExpr const* declareSizeTensor(
        int32_t outputIndex, nvinfer1::IDimensionExpr const& opt,
        nvinfer1::IDimensionExpr const& upper) noexcept override;

    nvinfer1::DimsExprs wrap(graph::ShapeExpr const& shape);
    /// The values of a shape input, in the form of extents. Throws kUnsupported for more than
    /// Dims::MAX_DIMS.
    nvinfer1::DimsExprs wrap(graph::ShapeValues const& values);
    /// Dims::MAX_DIMS constant extents of 1.
    nvinfer1::DimsExprs ones();
    /// Throws kInvalidArgument for a bad rank or for a null or foreign expression.
    graph::ShapeExpr unwrap(nvinfer1::DimsExprs const& shape) const;
    /// The reference behind an expression of this builder; nullopt for null and foreign
    /// expressions.
    std::optional<graph::ExprRef> refOf(nvinfer1::IDimensionExpr const* expr) const noexcept;
    /// Why a size tensor could not be declared; empty if none was refused. Throws std::bad_alloc if
    /// memory ran out for an expression or a reason.
    std::string const& problem() const;
    /// Why operation() last returned null; empty if it never did.
    std::string const& refusal() const noexcept { return refusal_; }
    std::vector<SizeTensor> const& sizeTensors() const noexcept { return sizeTensors_; }

private:
    nvinfer1::IDimensionExpr const* wrap(graph::ExprRef ref);
    /// Calls make(). Null, with the reason kept, if it refuses; the constant 0 if memory ran out.
    template <typename Make>
    nvinfer1::IDimensionExpr const* guarded(std::string& reason, Make&& make) noexcept;
    DimensionExpr const* own(nvinfer1::IDimensionExpr const* expr) const noexcept;

    graph::ExprPool& pool_;
    int32_t outputCount_;
    std::vector<SizeTensor> before_;
    std::vector<SizeTensor> sizeTensors_;
    std::deque<DimensionExpr> store_;
    DimensionExpr const zero_; ///< allocated in advance: a plugin can continue when memory ran out
    std::string problem_;
    std::string refusal_;
    bool exhausted_ = false; ///< memory ran out for an expression or a reason
};

/// Runs a plugin's shape callback. Fails if a size tensor could not be declared, even if the
/// callback then failed differently because of the null that it got.
template <typename Callback>
void withProblemsOf(ExprBuilder const& builder, std::string_view layer, PluginId const& id,
                    std::string_view phase, Callback&& callback) {
    auto const check = [&] {
        if (!builder.problem().empty()) {
            failCallback(layer, id, phase, builder.problem());
        }
    };
    try {
        callback();
    } catch (Error const&) {
        check();
        throw;
    }
    check();
}

} // namespace kiln::plugin
