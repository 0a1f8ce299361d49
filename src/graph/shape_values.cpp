// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/shape_values.h"

#include <algorithm>

#include "graph/real_values.h"

namespace kiln::graph {
namespace {

/// The most elements of a tensor of this type that are followed.
int64_t mostElements(DataType type) {
    bool const whole =
        type == DataType::kINT32 || type == DataType::kINT64 || type == DataType::kBOOL;
    return whole ? kMostShapeValues : type == DataType::kFLOAT ? kMostRealValues : -1;
}

/// Moves to the next position in row-major order.
void advance(Dims const& dims, Position& position) {
    for (int32_t axis = dims.nbDims - 1; axis >= 0; --axis) {
        if (++position.d[axis] < dims.d[axis]) {
            return;
        }
        position.d[axis] = 0;
    }
}

} // namespace

bool canFollow(ExprPool const& pool, TensorFacts const& facts) {
    int64_t const most = mostElements(facts.type);
    int64_t count = 1;
    for (int32_t axis = 0; axis < facts.shape.rank; ++axis) {
        int64_t const extent = pool.constantOr(facts.shape[axis]);
        if (extent < 0 || extent > most) {
            return false;
        }
        count *= extent; // at most 64 ^ 8
    }
    return count <= most;
}

void followElements(ExprPool& pool, TensorFacts& output,
                    std::function<ExprRef(Position const&)> const& value) {
    output.values.reset();
    if (!canFollow(pool, output)) {
        return;
    }
    Dims const dims = knownDims(pool, output.shape);
    int64_t const count = volume(dims, "shape tensor");
    ShapeValues values;
    Position position{dims.nbDims, {}};
    try {
        for (int64_t i = 0; i < count; ++i) {
            values.push_back(value(position));
            advance(dims, position);
        }
    } catch (Error const& error) {
        if (error.kind() != ErrorKind::kInvalidArgument) {
            throw;
        }
        return;
    }
    output.values = std::move(values);
}

ExprRef valueAt(ExprPool const& pool, TensorFacts const& facts, Position const& position) {
    int64_t index = 0;
    for (int32_t axis = 0; axis < facts.shape.rank; ++axis) {
        int64_t const extent = pool.constantOr(facts.shape[axis]);
        index = index * extent + (extent == 1 ? 0 : position.d[axis]);
    }
    return facts.values->at(static_cast<std::size_t>(index));
}

std::optional<std::vector<int64_t>> constantValues(ExprPool const& pool, TensorFacts const& facts) {
    if (!facts.values) {
        return std::nullopt;
    }
    std::vector<int64_t> numbers;
    for (ExprRef const value : *facts.values) {
        if (!pool.isConstant(value)) {
            return std::nullopt;
        }
        numbers.push_back(pool.node(value).value);
    }
    return numbers;
}

ExprRef choose(ExprPool& pool, ExprRef condition, ExprRef then, ExprRef otherwise) {
    if (pool.isConstant(condition)) {
        return pool.constantOr(condition) != 0 ? then : otherwise;
    }
    ExprNode const& test = pool.node(condition);
    bool const comparesThem =
        test.op == ExprOp::kEqual && std::minmax(test.a, test.b) == std::minmax(then, otherwise);
    if (then == otherwise || comparesThem) { // x == y ? y : x
        return otherwise;
    }
    return pool.binary(ExprOp::kSum, pool.binary(ExprOp::kProd, condition, then),
                       pool.binary(ExprOp::kProd, negated(pool, condition), otherwise));
}

ExprRef negated(ExprPool& pool, ExprRef truth) {
    return pool.binary(ExprOp::kSub, pool.constant(1), truth);
}

int64_t expectShapeTensor(InferContext const& context, std::string_view kind, std::size_t operand,
                          std::string_view role) {
    TensorFacts const& facts = context.inputs[operand];
    bool const integral = facts.type == DataType::kINT32 || facts.type == DataType::kINT64;
    Dims const dims = knownDims(context.pool, facts.shape);
    if (!integral || dims.nbDims != 1 || dims.d[0] < 0) {
        fail(ErrorKind::kInvalidArgument,
             "{}, {} (input {}): expected int32 or int64 of rank 1 and known length, got {} {}. "
             "Cast or reshape it.",
             where(context, kind), role, operand, nameOf(facts.type), toText(dims));
    }
    return dims.d[0];
}

ShapeValues const& expectValues(InferContext const& context, std::string_view kind,
                                std::size_t operand, std::string_view role) {
    static_cast<void>(expectShapeTensor(context, kind, operand, role));
    TensorFacts const& facts = context.inputs[operand];
    if (!facts.values) {
        fail(ErrorKind::kInvalidArgument,
             "{}, {} (input {}): expected values that are known before the layer runs (constants, "
             "extents, shape inputs and what is computed from them), got a tensor of data. Derive "
             "it from shape layers, or declare it as a network input.",
             where(context, kind), role, operand);
    }
    return *facts.values;
}

} // namespace kiln::graph
