// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/attention_places.h"

#include <array>

#include "graph/composed/attention_ranks.h"
#include "graph/ops/concatenation.h"
#include "graph/ops/fill.h"
#include "graph/ops/reduce.h"
#include "graph/ops/shuffle.h"
#include "graph/ops/slice.h"

namespace kiln::graph {

using nvinfer1::CausalMaskKind;
using nvinfer1::ElementWiseOperation;
using nvinfer1::ReduceOperation;
using Extent = Parts::Extent;

namespace {

constexpr std::array<int32_t, 4> kHeadsFirst{1, 0, 2, 3};
constexpr std::array<int32_t, 3> kHeadsOut{1, 0, 2};
// More than any number of tokens.
constexpr int64_t kMost = int64_t{1} << 40;

} // namespace

AttentionPlaces::AttentionPlaces(AttentionLayer const& op, ExprPool const& pool, Parts& parts)
    : op_(op), pool_(pool), parts_(parts),
      tokens_(op.isPacked(AttentionLayer::kQuery) || op.isPacked(AttentionLayer::kKey)) {}

int32_t AttentionPlaces::lengthsOf(Role role) const {
    return role == AttentionLayer::kQuery ? AttentionLayer::kQueryLengths
                                          : AttentionLayer::kKeyLengths;
}

bool AttentionPlaces::hasLengths(Role role) const {
    return parts_.has(lengthsOf(role));
}

int32_t AttentionPlaces::extentOf(int32_t value, int32_t axis) {
    Extent const extent = Extent::ofAxis(axis);
    return parts_.extents(value, {&extent, 1});
}

int32_t AttentionPlaces::joined(std::vector<int32_t> const& extents) {
    Concatenation op;
    op.axis = 0;
    return parts_.add(op, extents);
}

int32_t AttentionPlaces::counted(int32_t count, int32_t axis, int64_t first, int64_t step) {
    Fill op;
    op.type = DataType::kINT64;
    op.isWhole = true;
    op.wholeAlpha = first;
    op.wholeBeta = step;
    std::vector<Extent> shape(4);
    shape[static_cast<std::size_t>(axis)] = Extent::ofAxis(0);
    return parts_.reshape(parts_.add(op, {count}), shape);
}

int32_t AttentionPlaces::reduced(ReduceOperation operation, int32_t value, int32_t axis) {
    Reduce op;
    op.operation = operation;
    op.axes = 1U << static_cast<uint32_t>(axis);
    op.keepsAxes = true;
    return parts_.add(op, {value});
}

int32_t AttentionPlaces::reshapedTo(int32_t value, int32_t extents) {
    Shuffle op;
    op.zeroIsPlaceholder = false;
    return parts_.add(op, {value, extents});
}

int32_t AttentionPlaces::asPadded(Role role) {
    if (!tokens_) {
        return role;
    }
    if (op_.isPacked(role)) {
        int32_t const turned = parts_.transpose(role, kHeadsOut);
        return parts_.reshape(
            turned, {Extent::of(1), Extent::ofAxis(0), Extent::ofAxis(1), Extent::ofAxis(2)});
    }
    int32_t const turned = parts_.transpose(role, kHeadsFirst);
    int32_t const count =
        combine(ElementWiseOperation::kPROD, extentOf(role, 0), extentOf(role, 2));
    return reshapedTo(turned, joined({one(), extentOf(role, 1), count, extentOf(role, 3)}));
}

int32_t AttentionPlaces::asQuery(int32_t result) {
    if (!tokens_) {
        return result;
    }
    Role const query = AttentionLayer::kQuery;
    if (op_.isPacked(query)) {
        int32_t const apart =
            parts_.reshape(result, {Extent::ofAxis(1), Extent::ofAxis(2), Extent::ofAxis(3)});
        return parts_.transpose(apart, kHeadsOut);
    }
    int32_t const apart = reshapedTo(
        result,
        joined({extentOf(query, 1), extentOf(query, 0), extentOf(query, 2),
                extentOf(AttentionLayer::kValue, parts_.rank(AttentionLayer::kValue) - 1)}));
    return parts_.transpose(apart, kHeadsFirst);
}

AttentionPlaces::Places const& AttentionPlaces::placesOf(Role role) {
    auto const slot = static_cast<std::size_t>(role);
    if (!isKnown_[slot]) {
        known_[slot] = !tokens_             ? paddedPlaces(role)
                       : op_.isPacked(role) ? packedPlaces(role)
                                            : flattenedPlaces(role);
        isKnown_[slot] = true;
    }
    return known_[slot];
}

AttentionPlaces::Places AttentionPlaces::paddedPlaces(Role role) {
    bool const isQuery = role == AttentionLayer::kQuery;
    int32_t const count = extentOf(role, 2);
    Places places;
    places.place = counted(count, isQuery ? 2 : 3);
    std::vector<Extent> shape(4);
    int32_t length = 0;
    if (hasLengths(role)) {
        shape[0] = Extent::ofAxis(0);
        length = parts_.reshape(parts_.cast(lengthsOf(role), DataType::kINT64), shape);
        places.inside = combine(ElementWiseOperation::kLESS, places.place, length);
    } else {
        length = parts_.reshape(count, shape);
    }
    places.toEnd = combine(ElementWiseOperation::kSUB, length, places.place);
    return places;
}

AttentionPlaces::Places AttentionPlaces::packedPlaces(Role role) {
    bool const isQuery = role == AttentionLayer::kQuery;
    // Tokens are along axis 2, beginnings of sequences along axis 3.
    int32_t const token = counted(extentOf(role, 0), 2);
    int32_t const begins = parts_.spread(parts_.cast(lengthsOf(role), DataType::kINT64), 4, 3);
    int32_t const isBehind = combine(ElementWiseOperation::kLESS, token, begins);
    int32_t const none = whole(0);
    int32_t const begin = reduced(ReduceOperation::kMAX, parts_.select(isBehind, none, begins), 3);
    int32_t const end =
        reduced(ReduceOperation::kMIN, parts_.select(isBehind, begins, whole(kMost)), 3);
    // Sequences that begin behind a token: as good as its own number.
    Places places{reduced(ReduceOperation::kSUM, parts_.select(isBehind, whole(1), none), 3),
                  combine(ElementWiseOperation::kSUB, token, begin),
                  combine(ElementWiseOperation::kSUB, end, token)};
    // Both sides count from the first sequence on.
    int32_t const count = parts_.reshape(extentOf(lengthsOf(role), 0), std::vector<Extent>(4));
    places.sequence = combine(ElementWiseOperation::kSUB, count, places.sequence);
    places.sequence = combine(ElementWiseOperation::kSUB, places.sequence, whole(1));
    if (!isQuery) {
        for (int32_t* const value : {&places.sequence, &places.place, &places.toEnd}) {
            *value = parts_.transpose(*value, std::array<int32_t, 4>{0, 1, 3, 2});
        }
    }
    return places;
}

AttentionPlaces::Places AttentionPlaces::flattenedPlaces(Role role) {
    bool const isQuery = role == AttentionLayer::kQuery;
    int32_t const batch = extentOf(role, 0);
    int32_t const length = extentOf(role, 2);
    Places places;
    places.sequence =
        combine(ElementWiseOperation::kSUM, counted(batch, 2), counted(length, 3, 0, 0));
    places.place = combine(ElementWiseOperation::kSUM, counted(batch, 2, 0, 0), counted(length, 3));
    int32_t ends = parts_.reshape(length, std::vector<Extent>(4));
    if (hasLengths(role)) {
        ends = parts_.spread(parts_.cast(lengthsOf(role), DataType::kINT64), 4, 2);
    }
    places.toEnd = combine(ElementWiseOperation::kSUB, ends, places.place);
    int32_t const count = combine(ElementWiseOperation::kPROD, batch, length);
    int32_t const flat =
        isQuery ? joined({one(), one(), count, one()}) : joined({one(), one(), one(), count});
    for (int32_t* const value : {&places.sequence, &places.place, &places.toEnd}) {
        *value = reshapedTo(*value, flat);
    }
    if (hasLengths(role)) {
        places.inside = combine(ElementWiseOperation::kGREATER, places.toEnd, whole(0));
    }
    return places;
}

int32_t AttentionPlaces::mayBeSeen() {
    Role const query = AttentionLayer::kQuery;
    Role const key = AttentionLayer::kKey;
    int32_t seen = -1;
    if (isPadded(key) && hasLengths(key)) {
        seen = placesOf(key).inside;
    }
    if (tokens_) {
        int32_t const same =
            combine(ElementWiseOperation::kEQUAL, placesOf(query).sequence, placesOf(key).sequence);
        seen = seen < 0 ? same : combine(ElementWiseOperation::kAND, same, seen);
    }
    return seen;
}

/// Without lengths, as a triangle of two ranges, which the compiler recognises.
int32_t AttentionPlaces::endTriangle() {
    std::vector<Extent> const scalar(4);
    int32_t const queries = extentOf(AttentionLayer::kQuery, 2);
    int32_t const keys = extentOf(AttentionLayer::kKey, 2);
    int32_t const more = parts_.reshape(combine(ElementWiseOperation::kSUB, keys, queries), scalar);
    int32_t const query = counted(queries, 2, 1);
    int32_t const key = counted(keys, 3);
    return combine(ElementWiseOperation::kLESS, key,
                   combine(ElementWiseOperation::kSUM, query, more));
}

int32_t AttentionPlaces::causalOfRanks() {
    int32_t const ranks = parts_.range(op_.ranks, 0, 1, DataType::kINT64);
    int32_t const queries = extentOf(AttentionLayer::kQuery, 2);
    int32_t const keys =
        combine(ElementWiseOperation::kPROD, extentOf(AttentionLayer::kKey, 2), ranks);
    int32_t behind = counted(queries, 2, 1); // the first key that a query does not see
    behind = combine(ElementWiseOperation::kSUM, behind, firstOfRank(parts_, queries, op_.ranks));
    if (op_.causal == CausalMaskKind::kLOWER_RIGHT) {
        int32_t const all = combine(ElementWiseOperation::kPROD, queries, ranks);
        int32_t const more = combine(ElementWiseOperation::kSUB, keys, all);
        behind = combine(ElementWiseOperation::kSUM, behind,
                         parts_.reshape(more, std::vector<Extent>(4)));
    }
    return combine(ElementWiseOperation::kLESS, counted(keys, 3), behind);
}

int32_t AttentionPlaces::causal() {
    Role const query = AttentionLayer::kQuery;
    Role const key = AttentionLayer::kKey;
    if (op_.causal == CausalMaskKind::kNONE) {
        return -1;
    }
    if (op_.ranks > 1) {
        return causalOfRanks();
    }
    if (op_.causal == CausalMaskKind::kLOWER_RIGHT) {
        if (!tokens_ && !hasLengths(query) && !hasLengths(key)) {
            return endTriangle();
        }
        // A key that is no nearer to its end than the query.
        return combine(ElementWiseOperation::kLESS, placesOf(query).toEnd,
                       combine(ElementWiseOperation::kSUM, placesOf(key).toEnd, whole(1)));
    }
    return combine(ElementWiseOperation::kLESS, placesOf(key).place,
                   combine(ElementWiseOperation::kSUM, placesOf(query).place, whole(1)));
}

bool AttentionPlaces::causalMayHideAll() const {
    if (op_.causal != CausalMaskKind::kLOWER_RIGHT) {
        return false;
    }
    auto const extent = [&](Role role) {
        return tokens_ || hasLengths(role) ? -1 : pool_.constantOr(parts_.facts(role).shape[2]);
    };
    int64_t const queries = extent(AttentionLayer::kQuery);
    return queries < 0 || extent(AttentionLayer::kKey) < queries;
}

int32_t AttentionPlaces::queriesInside() {
    Role const query = AttentionLayer::kQuery;
    return isPadded(query) && hasLengths(query) ? placesOf(query).inside : -1;
}

} // namespace kiln::graph
