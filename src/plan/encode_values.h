// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Helpers of the metadata encoders.
#pragma once

#include <vector>

#include "plan/document.h"
#include "plan_generated.h"

namespace kiln::plan {

/// One table for each record, in order.
template <typename Records, typename Encode>
auto encodeAll(flatbuffers::FlatBufferBuilder& builder, Records const& records, Encode encode) {
    std::vector<decltype(encode(*records.begin()))> tables;
    tables.reserve(records.size());
    for (auto const& record : records) {
        tables.push_back(encode(record));
    }
    return builder.CreateVector(tables);
}

template <typename Id>
auto encodeIds(flatbuffers::FlatBufferBuilder& builder, std::vector<Id> const& ids) {
    std::vector<int32_t> numbers;
    numbers.reserve(ids.size());
    for (Id const id : ids) {
        numbers.push_back(id.number());
    }
    return builder.CreateVector(numbers);
}

/// Ahead-of-time code, without the bytes of its images.
flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<fb::Variant>>> encodeCode(
    flatbuffers::FlatBufferBuilder& builder, std::vector<plugin::AotVariant> const& code);

/// Weights for refit without their elements, which are at these offsets of the weights section; a
/// null offset if there are none.
flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<fb::Weight>>> encodeRecipes(
    flatbuffers::FlatBufferBuilder& builder, Table<WeightId, WeightRecord> const& weights,
    Table<WeightId, uint64_t> const& offsets);

/// A null offset if there are none.
flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<fb::FixedWeight>>> encodeFixed(
    flatbuffers::FlatBufferBuilder& builder, std::vector<FixedWeights> const& weights);

/// Python sources without their text; a null offset if there are none.
flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<fb::Source>>> encodeSources(
    flatbuffers::FlatBufferBuilder& builder, std::vector<SourceRecord> const& sources);

} // namespace kiln::plan
