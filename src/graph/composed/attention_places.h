// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/composed/attention_layer.h"
#include "graph/parts.h"
#include "kiln/api/network/reduce_operation.h"

namespace kiln::graph {

/// Where the queries and keys of an attention are in their sequences, as operations: which keys a
/// query may see by its place. Conditions are bool, of rank 4; -1 stands for none.
///
/// If queries or keys are packed, all of both are tokens of one sequence, [1, heads, tokens, size],
/// and each token has the number of its own sequence.
class AttentionPlaces {
public:
    using Role = AttentionLayer::Role;

    AttentionPlaces(AttentionLayer const& op, ExprPool const& pool, Parts& parts);

    /// Query, key or value as [batch, heads, length, size].
    int32_t asPadded(Role role);
    /// A result in that form, in the form of the query.
    int32_t asQuery(int32_t result);

    /// Whether a key is one of the query's sequence and inside of its length.
    int32_t mayBeSeen();
    /// The causal condition.
    int32_t causal();
    /// Whether the causal condition may hide all keys from a query.
    bool causalMayHideAll() const;
    /// Whether a query is inside of the length of its sequence, [batch, 1, queries, 1].
    int32_t queriesInside();

private:
    /// The places of queries, along axis 2, or of keys, along axis 3: int64.
    struct Places {
        int32_t sequence = -1; ///< of one sequence of tokens
        int32_t place = -1;    ///< from the first one on
        int32_t toEnd = -1;    ///< length - place
        int32_t inside = -1;   ///< bool: place < length
    };

    bool isPadded(Role role) const { return !op_.isPacked(role); }
    bool hasLengths(Role role) const;
    int32_t lengthsOf(Role role) const;
    Places const& placesOf(Role role);
    /// Of one sequence of tokens.
    Places packedPlaces(Role role);
    Places flattenedPlaces(Role role);
    /// Of operands that stay as they are.
    Places paddedPlaces(Role role);

    /// first, first + step, ... as int64 along an axis of four. count: int64 [1].
    int32_t counted(int32_t count, int32_t axis, int64_t first = 0, int64_t step = 1);
    /// int64 [extents.size()] of int64 [1].
    int32_t joined(std::vector<int32_t> const& extents);
    int32_t extentOf(int32_t value, int32_t axis);
    int32_t one() { return parts_.range(1, 0, 1, DataType::kINT64); }
    int32_t whole(int64_t number) {
        return parts_.number(static_cast<double>(number), DataType::kINT64, 4);
    }
    int32_t combine(nvinfer1::ElementWiseOperation operation, int32_t a, int32_t b) {
        return parts_.elementWise(operation, a, b);
    }
    int32_t reduced(nvinfer1::ReduceOperation operation, int32_t value, int32_t axis);
    int32_t reshapedTo(int32_t value, int32_t extents);
    int32_t endTriangle();
    /// The causal condition of this rank's queries and of the keys of all ranks.
    int32_t causalOfRanks();

    AttentionLayer const& op_;
    ExprPool const& pool_;
    Parts& parts_;
    bool tokens_; ///< queries or keys are packed
    Places known_[2];
    bool isKnown_[2] = {};
};

} // namespace kiln::graph
