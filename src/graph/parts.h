// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "graph/op.h"
#include "graph/ops/region.h"
#include "kiln/api/network/elementwise_layer.h"

namespace kiln::graph {

/// Builds what Op::parts() returns: the operations that an op stands for, one after the other.
/// Values are numbers: 0 .. n - 1 are the operands of the op, its weights included (at the places
/// of absent operands, then behind the last operand). Each operation is inferred when it is added,
/// so that the facts of its outputs can be asked for. Throws what infer() throws.
///
///   Parts parts(context);                                  // slope * x for x below 0
///   int32_t const below = parts.elementWise(ElementWiseOperation::kLESS, 0, parts.zeroLike(0));
///   int32_t const scaled = parts.elementWise(ElementWiseOperation::kPROD, 0, 1);
///   return parts.finish({parts.select(below, scaled, 0)});
class Parts {
public:
    /// An extent of a tensor to be: that of an axis of another tensor, or a number.
    struct Extent {
        int32_t axis = -1; ///< -1: the number
        int64_t number = 1;

        static Extent ofAxis(int32_t axis) { return {axis, 0}; }
        static Extent of(int64_t number) { return {-1, number}; }
    };

    explicit Parts(InferContext const& context);

    TensorFacts const& facts(int32_t value) const {
        return facts_.at(static_cast<std::size_t>(value));
    }
    int32_t rank(int32_t value) const { return facts(value).shape.rank; }
    /// Whether an operand is there.
    bool has(int32_t operand) const;

    /// Adds an operation; returns its first output. Operands may be Region::kAbsent.
    int32_t add(std::unique_ptr<Op> op, std::vector<int32_t> inputs);
    template <typename OpType>
    int32_t add(OpType op, std::vector<int32_t> inputs) {
        return add(std::unique_ptr<Op>(std::make_unique<OpType>(std::move(op))), std::move(inputs));
    }

    int32_t elementWise(nvinfer1::ElementWiseOperation operation, int32_t a, int32_t b);
    int32_t select(int32_t condition, int32_t thenValue, int32_t elseValue);
    /// The value itself if it has the type.
    int32_t cast(int32_t value, DataType type);
    /// One number, with `rank` axes of extent 1.
    int32_t number(double number, DataType type, int32_t rank);
    /// 0 of the type and rank of another value.
    int32_t zeroLike(int32_t value) { return number(0.0, facts(value).type, rank(value)); }
    /// first, first + step, ...: int32 or int64 [count].
    int32_t range(int64_t first, int64_t step, int64_t count, DataType type);
    /// int64 [extents.size()]: extents of a value's axes and numbers.
    int32_t extents(int32_t value, std::span<Extent const> extents);
    /// The same elements with other extents. Axes are those of the value.
    int32_t reshape(int32_t value, std::vector<Extent> const& extents);
    /// Inserts axes of extent 1, so that the value has the rank and its axes end at axis `last`.
    int32_t spread(int32_t value, int32_t rank, int32_t last);
    /// Axis i of the result is axis order[i] of the value.
    int32_t transpose(int32_t value, std::span<int32_t const> order);

    /// The region, with these values as the outputs of the op.
    std::unique_ptr<Region> finish(std::vector<int32_t> results);

private:
    bool areKnown(int32_t value, std::span<Extent const> extents) const;

    InferContext const& context_;
    std::unique_ptr<Region> region_;
    std::vector<TensorFacts> facts_; ///< of all values
};

/// The operands that the parts of an op get: those of the layer, with the facts of its weights at
/// the places of absent operands and behind the last one.
std::vector<TensorFacts> operandsWithWeights(ExprPool& pool, Op const& op,
                                             std::span<TensorFacts const> inputs);

/// Op::infer() for ops that have parts: the outputs are those of the parts.
void inferByParts(InferContext& context, Op const& op);

} // namespace kiln::graph
