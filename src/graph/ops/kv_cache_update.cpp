// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/kv_cache_update.h"

#include "graph/op_registry.h"

namespace kiln::graph {
namespace {

bool differ(int64_t got, int64_t wanted) {
    return got >= 0 && wanted >= 0 && got != wanted;
}

} // namespace

std::string KVCacheUpdate::problem() const {
    std::string text = enumProblem(mode, "KVCacheMode");
    return text.empty() ? enumProblem(form, "AttentionIOForm") : text;
}

void KVCacheUpdate::checkUpdate(InferContext const& context) const {
    ExprPool const& pool = context.pool;
    TensorFacts const& cache = context.inputs[kCache];
    TensorFacts const& update = context.inputs[kUpdate];
    Dims wanted{4,
                {pool.constantOr(cache.shape[0]), pool.constantOr(cache.shape[1]), -1,
                 pool.constantOr(cache.shape[3])}};
    if (isPacked()) {
        wanted = {3, {-1, wanted.d[1], wanted.d[3]}};
    }
    bool fits = update.type == cache.type && update.shape.rank == wanted.nbDims;
    for (int32_t i = 0; fits && i < wanted.nbDims; ++i) {
        fits = !differ(pool.constantOr(update.shape[i]), wanted.d[i]);
    }
    if (!fits) {
        fail(ErrorKind::kInvalidArgument, "{}, update (input 1): expected {} {}, got {} {}.",
             where(context, kKind), nameOf(cache.type), toText(wanted), nameOf(update.type),
             toText(knownDims(pool, update.shape)));
    }
}

void KVCacheUpdate::checkIntegers(InferContext const& context, Role role) const {
    ExprPool const& pool = context.pool;
    TensorFacts const& input = context.inputs[static_cast<std::size_t>(role)];
    int64_t const batch = pool.constantOr(context.inputs[kCache].shape[0]);
    int64_t const wanted = batch >= 0 && role == kLengths && isPacked() ? batch + 1 : batch;
    bool const whole = input.type == DataType::kINT32 || input.type == DataType::kINT64;
    if (!whole || input.shape.rank != 1 || differ(pool.constantOr(input.shape[0]), wanted)) {
        fail(ErrorKind::kInvalidArgument,
             "{}, {} (input {}): expected int32 or int64 [{}], got {} {}.", where(context, kKind),
             role == kStarts ? "write indices" : "update lengths", static_cast<int32_t>(role),
             wanted, nameOf(input.type), toText(knownDims(pool, input.shape)));
    }
}

void KVCacheUpdate::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 3, 4);
    TensorFacts const& cache = context.inputs[kCache];
    if (cache.shape.rank != 4) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected a cache [batch, heads, capacity, size], got {}. Reshape it.",
             where(context, kKind), toText(knownDims(context.pool, cache.shape)));
    }
    checkUpdate(context);
    checkIntegers(context, kStarts);
    if (context.has(kLengths)) {
        checkIntegers(context, kLengths);
    } else if (isPacked()) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected lengths (input 3) of the sequences of a packed update, got none. Set "
             "the update lengths.",
             where(context, kKind));
    }
    context.outputs[0].type = cache.type;
    context.outputs[0].shape = cache.shape;
}

void registerOp_kv_cache_update(OpRegistry& registry) {
    registry.add(KVCacheUpdate::kKind, &KVCacheUpdate::load);
}

} // namespace kiln::graph
