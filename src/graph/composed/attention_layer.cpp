// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/attention_layer.h"

#include "graph/composed/attention_parts.h"
#include "graph/ops/dist_collective.h"

namespace kiln::graph {
namespace {

constexpr std::string_view kNames[] = {"query", "key",           "value",      "mask",
                                       "scale", "query lengths", "key lengths"};

bool differ(int64_t got, int64_t wanted) {
    return got >= 0 && wanted >= 0 && got != wanted;
}

/// "[network] layer 'x' (AttentionLayer), key (input 1)"
std::string whereIs(InferContext const& context, int32_t role) {
    return fmt::format("{}, {} (input {})", where(context, AttentionLayer::kKind), kNames[role],
                       role);
}

} // namespace

std::string AttentionLayer::problem() const {
    for (std::string text :
         {enumProblem(normalization, "AttentionNormalizationOp"),
          enumProblem(causal, "CausalMaskKind"), enumProblem(queryForm, "AttentionIOForm"),
          enumProblem(keyForm, "AttentionIOForm")}) {
        if (!text.empty()) {
            return text;
        }
    }
    auto const most = static_cast<int32_t>(DistCollective::kMostRanks);
    if (ranks < 1 || ranks > most) {
        return fmt::format("expected 1 to {} ranks, got {}.", most, ranks);
    }
    bool const known = quantizedType == DataType::kFLOAT || quantizedType == DataType::kFP8 ||
                       quantizedType == DataType::kINT8;
    return known ? std::string()
                 : fmt::format("expected weights that are quantized to fp8 or int8, got {}.",
                               isMember(quantizedType) ? nameOf(quantizedType) : "an unknown type");
}

std::string AttentionLayer::problemOfChange(int32_t newRanks) const {
    return ranks == 1 || newRanks == ranks
               ? std::string()
               : fmt::format("expected {} ranks as before, got {}. Once above 1, the number cannot "
                             "be changed.",
                             ranks, newRanks);
}

void AttentionLayer::checkOperands(InferContext const& context) const {
    ExprPool const& pool = context.pool;
    DataType const type = context.inputs[kQuery].type;
    for (Role const role : {kQuery, kKey, kValue}) {
        TensorFacts const& input = context.inputs[static_cast<std::size_t>(role)];
        int32_t const rank = isPacked(role) ? 3 : 4;
        if (input.type != type || input.shape.rank != rank) {
            fail(ErrorKind::kInvalidArgument, "{}: expected {} {}, got {} {}.",
                 whereIs(context, role), nameOf(type),
                 rank == 3 ? "[tokens, heads, size]" : "[batch, heads, length, size]",
                 nameOf(input.type), toText(knownDims(pool, input.shape)));
        }
    }
    auto const extent = [&](Role role, int32_t axis) {
        ShapeExpr const& shape = context.inputs[static_cast<std::size_t>(role)].shape;
        return pool.constantOr(shape[axis < 0 ? shape.rank + axis : axis]);
    };
    int64_t const queryHeads = extent(kQuery, 1);
    int64_t const keyHeads = extent(kKey, 1);
    bool const groups = queryHeads < 0 || keyHeads < 0 ||
                        (keyHeads > 0 ? queryHeads % keyHeads == 0 : queryHeads == 0);
    bool fits = groups && !differ(extent(kValue, 1), keyHeads) &&
                !differ(extent(kKey, -1), extent(kQuery, -1)) &&
                !differ(extent(kValue, 0), extent(kKey, 0));
    if (!isPacked(kKey)) {
        fits = fits && !differ(extent(kValue, 2), extent(kKey, 2));
        fits = fits && (isPacked(kQuery) || extent(kKey, 0) == 1 ||
                        !differ(extent(kKey, 0), extent(kQuery, 0)));
    }
    if (!fits) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected a key with the batch and the size of the query, and heads that divide "
             "its heads, and a value that fits the key, got {}, {} and {}.",
             where(context, kKind), toText(knownDims(pool, context.inputs[kQuery].shape)),
             toText(knownDims(pool, context.inputs[kKey].shape)),
             toText(knownDims(pool, context.inputs[kValue].shape)));
    }
}

void AttentionLayer::checkMask(InferContext const& context) const {
    ExprPool const& pool = context.pool;
    TensorFacts const& mask = context.inputs[kMask];
    if (isPacked(kQuery) || isPacked(kKey)) {
        fail(ErrorKind::kUnsupported,
             "{}: expected no mask of packed sequences, got one. Use a causal kind and lengths, or "
             "the padded form.",
             whereIs(context, kMask));
    }
    ShapeExpr const& query = context.inputs[kQuery].shape;
    int64_t const keys = pool.constantOr(context.inputs[kKey].shape[2]);
    Dims const wanted{4,
                      {pool.constantOr(query[0]), pool.constantOr(query[1]),
                       pool.constantOr(query[2]), keys < 0 ? keys : keys * ranks}};
    bool fits = mask.shape.rank == 4 &&
                (mask.type == DataType::kBOOL || mask.type == context.inputs[kQuery].type);
    for (int32_t i = 0; fits && i < 4; ++i) {
        int64_t const got = pool.constantOr(mask.shape[i]);
        fits = got == 1 || !differ(got, wanted.d[i]);
    }
    if (!fits) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected bool or {} with the extents {} or 1, got {} {}.",
             whereIs(context, kMask), nameOf(context.inputs[kQuery].type), toText(wanted),
             nameOf(mask.type), toText(knownDims(pool, mask.shape)));
    }
}

void AttentionLayer::checkScale(InferContext const& context) const {
    TensorFacts const& scale = context.inputs[kScale];
    Dims const dims = knownDims(context.pool, scale.shape);
    bool fits = isFloating(scale.type);
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        fits = fits && (dims.d[i] == 1 || dims.d[i] < 0);
    }
    if (!fits) {
        fail(ErrorKind::kInvalidArgument, "{}: expected one floating-point number, got {} {}.",
             whereIs(context, kScale), nameOf(scale.type), toText(dims));
    }
}

void AttentionLayer::checkLengths(InferContext const& context, Role role) const {
    bool const packed = isPacked(role == kQueryLengths ? kQuery : kKey);
    if (!context.has(static_cast<std::size_t>(role))) {
        if (packed) {
            fail(ErrorKind::kInvalidArgument,
                 "{}: expected the first token of each packed sequence, got none. Set the lengths.",
                 whereIs(context, role));
        }
        return;
    }
    TensorFacts const& lengths = context.inputs[static_cast<std::size_t>(role)];
    Dims const dims = knownDims(context.pool, lengths.shape);
    int64_t const batch = packed
                              ? -1
                              : context.pool.constantOr(
                                    context.inputs[role == kQueryLengths ? kQuery : kKey].shape[0]);
    bool const whole = lengths.type == DataType::kINT32 || lengths.type == DataType::kINT64;
    if (!whole || dims.nbDims != 1 || differ(dims.d[0], batch)) {
        fail(ErrorKind::kInvalidArgument, "{}: expected int32 or int64 [{}], got {} {}.",
             whereIs(context, role), packed ? "batch + 1" : std::to_string(batch),
             nameOf(lengths.type), toText(dims));
    }
}

void AttentionLayer::checkRanks(InferContext const& context) const {
    bool const packed = isPacked(kQuery) || isPacked(kKey);
    if (ranks > 1 && (packed || context.has(kQueryLengths) || context.has(kKeyLengths))) {
        fail(ErrorKind::kUnsupported,
             "{}: expected padded sequences without lengths for {} ranks, got {}. Pad them, and "
             "hide keys by a mask.",
             where(context, kKind), ranks, packed ? "packed ones" : "lengths");
    }
}

void AttentionLayer::check(InferContext const& context) const {
    expectInputs(context, kKind, 3, kRoles);
    expectFloating(context, kKind);
    checkOperands(context);
    if (context.has(kMask)) {
        checkMask(context);
    }
    if (context.has(kScale)) {
        checkScale(context);
    }
    if ((quantizedType == DataType::kFLOAT) == context.has(kScale)) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected a scale (input 4) and a type of quantized weights, or neither, got {}. "
             "Set both.",
             where(context, kKind), context.has(kScale) ? "the scale" : nameOf(quantizedType));
    }
    checkLengths(context, kQueryLengths);
    checkLengths(context, kKeyLengths);
    checkRanks(context);
}

std::unique_ptr<Region> AttentionLayer::parts(InferContext const& context) const {
    return attentionParts(*this, context);
}

} // namespace kiln::graph
