// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.h"

namespace kiln {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<std::byte const>;

/// Appends plain values to a byte string in little-endian order, the order of every supported
/// machine.
class ByteWriter {
public:
    template <typename T>
        requires std::is_trivially_copyable_v<T>
    void put(T const& value) {
        auto const* raw = reinterpret_cast<std::byte const*>(&value);
        bytes_.insert(bytes_.end(), raw, raw + sizeof(T));
    }

    void putText(std::string_view text) {
        put(static_cast<uint32_t>(text.size()));
        auto const* raw = reinterpret_cast<std::byte const*>(text.data());
        bytes_.insert(bytes_.end(), raw, raw + text.size());
    }

    Bytes take() { return std::move(bytes_); }

private:
    Bytes bytes_;
};

/// Reads what ByteWriter wrote. The bytes may come from a damaged file, so every read is bounded.
class ByteReader {
public:
    /// `what` names the byte string in messages and must outlive the reader.
    ByteReader(ByteView bytes, std::string_view what) : bytes_(bytes), what_(what) {}

    template <typename T>
        requires std::is_trivially_copyable_v<T>
    T get() {
        T value{};
        std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
        return value;
    }

    std::string getText() {
        ByteView const raw = take(get<uint32_t>());
        return {reinterpret_cast<char const*>(raw.data()), raw.size()};
    }

    ByteView take(std::size_t count) {
        if (count > bytes_.size() - at_) {
            fail(ErrorKind::kCorruptData,
                 "[plan] {}: expected {} more bytes at offset {}, got {}. Build the plan again.",
                 what_, count, at_, bytes_.size() - at_);
        }
        ByteView const part = bytes_.subspan(at_, count);
        at_ += count;
        return part;
    }

    /// Call after the last read. Throws if bytes are left, because writer and reader then disagree.
    void finish() const {
        if (at_ != bytes_.size()) {
            fail(ErrorKind::kCorruptData,
                 "[plan] {}: expected {} bytes, got {}. Build the plan again.", what_, at_,
                 bytes_.size());
        }
    }

private:
    ByteView bytes_;
    std::string_view what_;
    std::size_t at_ = 0;
};

} // namespace kiln
