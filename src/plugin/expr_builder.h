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
    /// INT64_MIN, as documented, for what is not constant: no extent that arithmetic may hide.
    int64_t getConstantValue() const noexcept override { return pool_.constantOr(ref_, INT64_MIN); }
    bool isSizeTensor() const noexcept override {
        return pool_.node(ref_).op == graph::ExprOp::kSizeTensor;
    }
    graph::ExprRef ref() const noexcept { return ref_; }

private:
    graph::ExprPool const& pool_;
    graph::ExprRef ref_;
};

/// The expressions of a network as plugins see them. Objects live as long as the builder; it serves
/// one call of a plugin's shape callback. The interface cannot throw: what it refuses is null.
/// A refused operation harms only a plugin that answers with it, whose error then says why; a size
/// tensor that cannot be declared is a mistake in any case, which the caller asks for afterwards.
/// Exhausted memory is kept in the same way.
class ExprBuilder final : public nvinfer1::IExprBuilder {
public:
    /// `outputCount`: how many outputs may be size tensors; 0 where the generation has none.
    /// `before`: those of an earlier call for the same layer, whose numbers later layers may hold.
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
    /// Throws kInvalidArgument for a bad rank, a null or foreign expression.
    graph::ShapeExpr unwrap(nvinfer1::DimsExprs const& shape) const;
    /// The reference behind an expression of this builder; nothing for null and foreign ones.
    std::optional<graph::ExprRef> refOf(nvinfer1::IDimensionExpr const* expr) const noexcept;
    /// Why a size tensor could not be declared; empty if none was refused. Throws std::bad_alloc if
    /// there was no memory for an expression or a reason.
    std::string const& problem() const;
    /// Why operation() last gave null; empty if it never did.
    std::string const& refusal() const noexcept { return refusal_; }
    std::vector<SizeTensor> const& sizeTensors() const noexcept { return sizeTensors_; }

private:
    nvinfer1::IDimensionExpr const* wrap(graph::ExprRef ref);
    /// make(); null with the reason kept for what it refuses, the constant 0 without memory.
    template <typename Make>
    nvinfer1::IDimensionExpr const* guarded(std::string& reason, Make&& make) noexcept;
    DimensionExpr const* own(nvinfer1::IDimensionExpr const* expr) const noexcept;

    graph::ExprPool& pool_;
    int32_t outputCount_;
    std::vector<SizeTensor> before_;
    std::vector<SizeTensor> sizeTensors_;
    std::deque<DimensionExpr> store_;
    DimensionExpr const zero_; ///< made beforehand, for the plugin to go on with after a failure
    std::string problem_;
    std::string refusal_;
    bool exhausted_ = false; ///< there was no memory for an expression, or for a reason
};

/// Runs a plugin's shape callback. A size tensor that could not be declared is its failure, even if
/// the callback then failed in another way, over the null that it got.
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
