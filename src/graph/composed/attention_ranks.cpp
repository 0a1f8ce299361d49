// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/attention_ranks.h"

#include <array>

#include "graph/ops/concatenation.h"
#include "graph/ops/dist_collective.h"
#include "graph/ops/shuffle.h"

namespace kiln::graph {
namespace {

using nvinfer1::CollectiveOperation;
using nvinfer1::ElementWiseOperation;
using Extent = Parts::Extent;

/// [batch, heads, ranks, length, size] of [ranks, batch, heads, length, size].
constexpr std::array<int32_t, 5> kRanksIn{1, 2, 0, 3, 4};

} // namespace

int32_t gatheredSequence(Parts& parts, ExprPool const& pool, int32_t value, int32_t ranks) {
    DistCollective gather;
    gather.operation = CollectiveOperation::kALL_GATHER;
    gather.ranks = ranks;
    // Gathered along an axis of its own, so that one transposition does.
    int32_t const apart = parts.reshape(value, {Extent::of(1), Extent::ofAxis(0), Extent::ofAxis(1),
                                                Extent::ofAxis(2), Extent::ofAxis(3)});
    int32_t const turned = parts.transpose(parts.add(gather, {apart}), kRanksIn);
    if (int64_t const length = pool.constantOr(parts.facts(value).shape[2]); length >= 0) {
        return parts.reshape(turned, {Extent::ofAxis(0), Extent::ofAxis(1),
                                      Extent::of(ranks * length), Extent::ofAxis(4)});
    }
    auto const extents = [&](std::initializer_list<Extent> list) {
        return parts.extents(value, {list.begin(), list.size()});
    };
    int32_t const length = parts.elementWise(
        ElementWiseOperation::kPROD, extents({Extent::ofAxis(2)}), extents({Extent::of(ranks)}));
    Concatenation join;
    join.axis = 0;
    Shuffle shape;
    shape.zeroIsPlaceholder = false;
    int32_t const whole = parts.add(join, {extents({Extent::ofAxis(0), Extent::ofAxis(1)}), length,
                                           extents({Extent::ofAxis(3)})});
    return parts.add(shape, {turned, whole});
}

int32_t firstOfRank(Parts& parts, int32_t length, int32_t ranks) {
    // Rank 0 deals the numbers 0, 1, ... out, so that each rank gets its own.
    DistCollective scatter;
    scatter.operation = CollectiveOperation::kSCATTER;
    scatter.root = 0;
    scatter.ranks = ranks;
    int32_t const rank = parts.add(scatter, {parts.range(0, 1, ranks, DataType::kINT64)});
    return parts.reshape(parts.elementWise(ElementWiseOperation::kPROD, rank, length),
                         std::vector<Extent>(4));
}

} // namespace kiln::graph
