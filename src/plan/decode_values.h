// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Decodes strings, numbers and lists from FlatBuffers, and charges each to the budget at its size
// in the file.
#pragma once

#include <string>
#include <vector>

#include "plan/decode.h"
#include "plan_generated.h"

namespace kiln::plan {

inline std::string decodeText(flatbuffers::String const* text, Budget& budget) {
    if (text == nullptr) {
        return {};
    }
    budget.spend(sizeof(flatbuffers::uoffset_t) + text->size() + 1);
    return text->str();
}

template <typename T>
std::vector<T> decodeNumbers(flatbuffers::Vector<T> const* numbers, Budget& budget) {
    if (numbers == nullptr) {
        return {};
    }
    budget.spend(sizeof(flatbuffers::uoffset_t) + numbers->size() * sizeof(T));
    return {numbers->begin(), numbers->end()};
}

template <typename Id>
std::vector<Id> decodeIds(flatbuffers::Vector<int32_t> const* numbers, Budget& budget) {
    if (numbers == nullptr) {
        return {};
    }
    budget.spend(sizeof(flatbuffers::uoffset_t) + numbers->size() * sizeof(int32_t));
    std::vector<Id> ids;
    ids.reserve(numbers->size());
    for (int32_t const number : *numbers) {
        ids.push_back(Id::of(number));
    }
    return ids;
}

inline Bytes decodeBytes(flatbuffers::Vector<uint8_t> const* bytes, Budget& budget) {
    if (bytes == nullptr) {
        return {};
    }
    budget.spend(sizeof(flatbuffers::uoffset_t) + bytes->size());
    auto const* raw = reinterpret_cast<std::byte const*>(bytes->data());
    return {raw, raw + bytes->size()};
}

/// The verifier checks the alignment of a vector's length, not of its elements.
template <typename T>
void expectAligned(flatbuffers::Vector<T> const* numbers, std::size_t unit) {
    bool const aligned = reinterpret_cast<std::uintptr_t>(numbers->Data()) % unit == 0;
    if (!aligned && numbers->size() > 0) {
        fail(ErrorKind::kCorruptData,
             "[plan] section 'metadata': expected numbers at multiples of {} bytes, got another "
             "place. Build the plan again.",
             unit);
    }
}

/// Extents, as many as Dims holds; throws kCorruptData for more.
Dims decodeDims(flatbuffers::Vector<int64_t> const* extents, std::string_view object);

/// A part of the weights section; throws kCorruptData if it is not aligned or passes the end.
ByteView decodeConstant(uint64_t offset, uint64_t bytes, ByteView weights, std::string_view name);

/// Appends decode(table) for each table of a vector.
template <typename Source, typename Records, typename Decode>
void decodeAll(flatbuffers::Vector<flatbuffers::Offset<Source>> const* tables, Budget& budget,
               Records& records, Decode decode) {
    if (tables == nullptr) {
        return;
    }
    // Per table: its offset in the vector and the vtable offset that every table starts with.
    budget.spend(tables->size() *
                 (sizeof(flatbuffers::uoffset_t) + sizeof(flatbuffers::soffset_t)));
    records.reserve(tables->size());
    for (Source const* table : *tables) {
        records.push_back(decode(*table));
    }
}

} // namespace kiln::plan
