// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What ops share that say which values their outputs have (TensorFacts::values).
#pragma once

#include <functional>
#include <vector>

#include "graph/op.h"

namespace kiln::graph {

/// Coordinates of an element; nbDims is the rank.
using Position = Dims;

/// Whether a tensor of this type and shape may be followed by value: int32, int64 or bool, constant
/// extents, at most kMostShapeValues elements.
bool canFollow(ExprPool const& pool, TensorFacts const& facts);

/// Fills output.values with value(position) for each element; leaves them out where canFollow()
/// says no, and where an expression cannot be computed (overflow, division by zero): such tensors
/// hold data, not shapes. Type and shape of the output are known already.
void followElements(ExprPool& pool, TensorFacts& output,
                    std::function<ExprRef(Position const&)> const& value);

/// The value at a position; axes of extent 1 are repeated. facts.values must be there.
ExprRef valueAt(ExprPool const& pool, TensorFacts const& facts, Position const& position);

/// The elements as numbers; none if one of them is not a constant.
std::optional<std::vector<int64_t>> constantValues(ExprPool const& pool, TensorFacts const& facts);

/// if ? then : otherwise, of an expression that is 0 or 1.
ExprRef choose(ExprPool& pool, ExprRef condition, ExprRef then, ExprRef otherwise);

/// 1 - x, of an expression that is 0 or 1.
ExprRef negated(ExprPool& pool, ExprRef truth);

/// The rank-1 tensor of dimensions that input `operand` is, for messages and use alike: throws
/// kInvalidArgument unless it is int32 or int64, of rank 1 and of a known length; and, if its
/// values are not known before the engine runs, a message that names `role` and says so.
ShapeValues const& expectValues(InferContext const& context, std::string_view kind,
                                std::size_t operand, std::string_view role);

/// The first half of expectValues(): the length of such a tensor.
int64_t expectShapeTensor(InferContext const& context, std::string_view kind, std::size_t operand,
                          std::string_view role);

} // namespace kiln::graph
