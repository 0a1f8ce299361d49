// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/rotary_embedding.h"

#include "graph/op_registry.h"

namespace kiln::graph {
namespace {

bool differ(int64_t got, int64_t wanted) {
    return got >= 0 && wanted >= 0 && got != wanted;
}

} // namespace

std::string RotaryEmbedding::problem() const {
    return rotated >= 0 && rotated % 2 == 0
               ? std::string()
               : fmt::format("expected an even number of rotated elements, or 0 for all, got {}.",
                             rotated);
}

TypeRule RotaryEmbedding::typeRule(int32_t operand, int32_t inputCount) const {
    return operand == kPositions && inputCount > kPositions ? TypeRule::kFixed : TypeRule::kCompute;
}

void RotaryEmbedding::checkTable(InferContext const& context, Role role) const {
    ExprPool const& pool = context.pool;
    TensorFacts const& data = context.inputs[kData];
    TensorFacts const& table = context.inputs[static_cast<std::size_t>(role)];
    bool const byPosition = context.has(kPositions);
    int64_t const size = pool.constantOr(data.shape[3]);
    Dims wanted{3,
                {pool.constantOr(data.shape[0]), pool.constantOr(data.shape[2]),
                 size < 0 ? -1 : rotatedOf(size) / 2}};
    if (byPosition) {
        wanted = {2, {pool.constantOr(context.inputs[kCosines].shape[0]), wanted.d[2]}};
    }
    bool fits = table.type == data.type && table.shape.rank == wanted.nbDims;
    for (int32_t i = 0; fits && i < wanted.nbDims; ++i) {
        int64_t const got = pool.constantOr(table.shape[i]);
        fits = !differ(got, wanted.d[i]) || (!byPosition && i == 0 && got == 1);
    }
    if (!fits) {
        fail(ErrorKind::kInvalidArgument, "{}, {} (input {}): expected {} {}, got {} {}.",
             where(context, kKind), role == kCosines ? "cosines" : "sines",
             static_cast<int32_t>(role), nameOf(data.type), toText(wanted), nameOf(table.type),
             toText(knownDims(pool, table.shape)));
    }
}

void RotaryEmbedding::checkPositions(InferContext const& context) const {
    ExprPool const& pool = context.pool;
    TensorFacts const& data = context.inputs[kData];
    TensorFacts const& positions = context.inputs[kPositions];
    bool const fits =
        positions.shape.rank == 2 &&
        !differ(pool.constantOr(positions.shape[0]), pool.constantOr(data.shape[0])) &&
        !differ(pool.constantOr(positions.shape[1]), pool.constantOr(data.shape[2]));
    bool const whole = positions.type == DataType::kINT32 || positions.type == DataType::kINT64;
    if (!fits || !whole) {
        fail(ErrorKind::kInvalidArgument,
             "{}, positions (input 3): expected int32 or int64 [{},{}], got {} {}.",
             where(context, kKind), pool.constantOr(data.shape[0]), pool.constantOr(data.shape[2]),
             nameOf(positions.type), toText(knownDims(pool, positions.shape)));
    }
}

void RotaryEmbedding::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 3, 4);
    expectFloating(context, kKind);
    TensorFacts const& data = context.inputs[kData];
    int64_t const size = data.shape.rank == 4 ? context.pool.constantOr(data.shape[3]) : 0;
    if (data.shape.rank != 4 || (size >= 0 && (rotated > size || rotatedOf(size) % 2 != 0))) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected an input [batch, heads, length, size] with an even size of {} or more, "
             "got {}. Reshape it, or set another number of rotated elements.",
             where(context, kKind), rotated, toText(knownDims(context.pool, data.shape)));
    }
    checkTable(context, kCosines);
    checkTable(context, kSines);
    if (context.has(kPositions)) {
        checkPositions(context);
    }
    context.outputs[0].type = data.type;
    context.outputs[0].shape = data.shape;
}

void registerOp_rotary_embedding(OpRegistry& registry) {
    registry.add(RotaryEmbedding::kKind, &RotaryEmbedding::load);
}

} // namespace kiln::graph
