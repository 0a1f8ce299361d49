// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Helpers for ops that compute the values of their outputs (TensorFacts::values).
#pragma once

#include <functional>
#include <vector>

#include "graph/op.h"

namespace kiln::graph {

/// Coordinates of an element; nbDims is the rank.
using Position = Dims;

/// Whether the values of a tensor can be tracked: int32, int64 or bool, constant extents, at most
/// kMostShapeValues elements; or float32, with fewer (real_values.h).
bool canFollow(ExprPool const& pool, TensorFacts const& facts);

/// Sets output.values to value(position) for each element. Leaves them empty if canFollow() is
/// false or an expression cannot be computed (overflow, division by zero): such tensors hold data,
/// not shapes. Type and shape of the output must be set.
void followElements(ExprPool& pool, TensorFacts& output,
                    std::function<ExprRef(Position const&)> const& value);

/// The value at a position; axes of extent 1 are broadcast. facts.values must be set.
ExprRef valueAt(ExprPool const& pool, TensorFacts const& facts, Position const& position);

/// The elements as numbers; empty if one of them is not a constant.
std::optional<std::vector<int64_t>> constantValues(ExprPool const& pool, TensorFacts const& facts);

/// condition ? then : otherwise, for a condition that is 0 or 1.
ExprRef choose(ExprPool& pool, ExprRef condition, ExprRef then, ExprRef otherwise);

/// 1 - truth, for an expression that is 0 or 1.
ExprRef negated(ExprPool& pool, ExprRef truth);

/// The values of input `operand`, a tensor of dimensions. Throws kInvalidArgument, naming `role`,
/// unless it is int32 or int64 of rank 1 and known length and its values are known before the
/// engine runs.
ShapeValues const& expectValues(InferContext const& context, std::string_view kind,
                                std::size_t operand, std::string_view role);

/// Like expectValues(), but needs no values. Returns the length of the tensor.
int64_t expectShapeTensor(InferContext const& context, std::string_view kind, std::size_t operand,
                          std::string_view role);

} // namespace kiln::graph
