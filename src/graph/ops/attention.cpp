// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/attention.h"

#include <algorithm>
#include <cmath>

#include "graph/op_registry.h"

namespace kiln::graph {
namespace {

constexpr std::string_view kNames[] = {"query", "key", "value", "output"};
// Bounds the products of numbers of heads and channels, which come from plans, too.
constexpr int64_t kMost = 1 << 24;

bool differ(int64_t got, int64_t wanted) {
    return got >= 0 && wanted >= 0 && got != wanted;
}

} // namespace

Attention::Axes Attention::axesOf(Layout layout) {
    switch (layout) {
    case Layout::kLengthFirst: return {0, 2, 1, 3};
    case Layout::kChannelsFirst: return {0, 1, 3, 2};
    case Layout::kJoined: return {0, -1, 1, 2};
    default: return {0, 1, 2, 3};
    }
}

int64_t Attention::headsOf(std::size_t operand) const {
    return operand == kKey || operand == kValue ? keyHeads : heads;
}

int64_t Attention::sizeOf(std::size_t operand) const {
    return operand == kQuery || operand == kKey ? size : valueSize;
}

std::string Attention::problem() const {
    auto const isCount = [](int64_t count) { return count >= 1 && count <= kMost; };
    if (!isCount(heads) || !isCount(keyHeads) || heads % keyHeads != 0) {
        return fmt::format("expected 1 to {} heads, a multiple of the heads of keys, got {} and "
                           "{}.",
                           kMost, heads, keyHeads);
    }
    if (!isCount(size) || !isCount(valueSize)) {
        return fmt::format("expected heads of 1 to {} channels, got {} and {}.", kMost, size,
                           valueSize);
    }
    for (Layout const layout : layouts) {
        auto const number = static_cast<int32_t>(layout);
        if (number < 0 || number >= kLayoutCount) {
            return fmt::format("expected a layout of 0 to {}, got {}.", kLayoutCount - 1, number);
        }
    }
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        int64_t const most = layouts[i] == Layout::kJoined ? kMost : 0;
        if (offsets[i] < 0 || offsets[i] > most) {
            return fmt::format("expected a first channel of {} of 0 to {}, got {}.", kNames[i],
                               most, offsets[i]);
        }
    }
    auto const rule = static_cast<int32_t>(causal);
    if (rule < 0 || rule > static_cast<int32_t>(Causal::kFromEnd)) {
        return fmt::format("expected a causal rule of 0 to 2, got {}.", rule);
    }
    return std::isfinite(scale) ? std::string()
                                : fmt::format("expected a finite scale, got {}.", scale);
}

void Attention::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 3, 4);
    expectFloating(context, kKind);
    for (std::size_t i = 0; i < 3; ++i) {
        checkOperand(context, i);
    }
    ExprPool& pool = context.pool;
    auto const extent = [&](Role role, auto axis) {
        return context.inputs[role].shape[axesOf(layouts[role]).*axis];
    };
    int64_t const keys = pool.constantOr(extent(kKey, &Axes::length));
    int64_t const values = pool.constantOr(extent(kValue, &Axes::length));
    if (differ(keys, values)) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected as many keys as values, got {} and {}. Check their lengths.",
             where(context, kKind), keys, values);
    }
    if (context.has(kMask)) {
        checkMask(context);
    }
    Axes const to = axesOf(layouts[kOutput]);
    TensorFacts& output = context.outputs[0];
    output.type = context.inputs[kQuery].type;
    output.shape.rank = to.rank();
    output.shape[to.batch] = extent(kQuery, &Axes::batch);
    output.shape[to.length] = extent(kQuery, &Axes::length);
    output.shape[to.channel] = pool.constant(to.head < 0 ? heads * valueSize : valueSize);
    if (to.head >= 0) {
        output.shape[to.head] = pool.constant(heads);
    }
}

void Attention::checkOperand(InferContext const& context, std::size_t operand) const {
    ExprPool const& pool = context.pool;
    TensorFacts const& input = context.inputs[operand];
    Axes const axes = axesOf(layouts[operand]);
    if (input.type != context.inputs[kQuery].type || input.shape.rank != axes.rank()) {
        fail(ErrorKind::kInvalidArgument,
             "{}, {} (input {}): expected {} of rank {}, got {} of {}.", where(context, kKind),
             kNames[operand], operand, nameOf(context.inputs[kQuery].type), axes.rank(),
             nameOf(input.type), toText(knownDims(pool, input.shape)));
    }
    int64_t const batch = pool.constantOr(input.shape[axes.batch]);
    int64_t const wanted =
        pool.constantOr(context.inputs[kQuery].shape[axesOf(layouts[kQuery]).batch]);
    bool const fitsBatch = !differ(batch, wanted) || batch == 1;
    int64_t const channels = pool.constantOr(input.shape[axes.channel]);
    bool const fitsHeads =
        axes.head < 0
            ? channels < 0 || channels - offsets[operand] >= headsOf(operand) * sizeOf(operand)
            : !differ(channels, sizeOf(operand)) &&
                  !differ(pool.constantOr(input.shape[axes.head]), headsOf(operand));
    if (!fitsBatch || !fitsHeads) {
        fail(ErrorKind::kInvalidArgument,
             "{}, {} (input {}): expected {} heads of {} channels from channel {} on, and the "
             "batch of the query, got {}.",
             where(context, kKind), kNames[operand], operand, headsOf(operand), sizeOf(operand),
             operand < offsets.size() ? offsets[operand] : 0, toText(knownDims(pool, input.shape)));
    }
}

void Attention::checkMask(InferContext const& context) const {
    ExprPool const& pool = context.pool;
    TensorFacts const& mask = context.inputs[kMask];
    ShapeExpr const& query = context.inputs[kQuery].shape;
    ShapeExpr const& key = context.inputs[kKey].shape;
    Dims wanted{4,
                {pool.constantOr(query[axesOf(layouts[kQuery]).batch]), heads,
                 pool.constantOr(query[axesOf(layouts[kQuery]).length]),
                 pool.constantOr(key[axesOf(layouts[kKey]).length])}};
    if (maskRank(mask.shape.rank) == 3) {
        wanted.nbDims = 3;
        std::copy(wanted.d + 2, wanted.d + 4, wanted.d + 1);
    }
    Dims const got = knownDims(pool, mask.shape);
    bool fits = got.nbDims == wanted.nbDims &&
                (mask.type == DataType::kBOOL || mask.type == context.inputs[kQuery].type);
    for (int32_t i = 0; fits && i < got.nbDims; ++i) {
        fits = got.d[i] == 1 || !differ(got.d[i], wanted.d[i]);
    }
    if (!fits) {
        fail(ErrorKind::kInvalidArgument,
             "{}, mask (input 3): expected bool or {} with the extents {} or 1, got {} {}.",
             where(context, kKind), nameOf(context.inputs[kQuery].type), toText(wanted),
             nameOf(mask.type), toText(got));
    }
}

void registerOp_attention(OpRegistry& registry) {
    registry.add(Attention::kKind, &Attention::load);
}

} // namespace kiln::graph
