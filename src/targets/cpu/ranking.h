// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Orders elements by value and place, as integers: for kernels that select the best elements.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

#include "base/bfloat16.h"
#include "base/half.h"

namespace kiln::targets::cpu {

/// An integer that orders sign and magnitude of a float: -0 equals 0, NaN is above infinity.
template <typename Int>
constexpr Int floatKey(Int bits, Int infinity) noexcept {
    auto const size = static_cast<Int>(bits & std::numeric_limits<Int>::max());
    Int const key = bits < 0 ? static_cast<Int>(-size) : size;
    return size > infinity ? std::numeric_limits<Int>::max() : key;
}

/// The number with such a key.
constexpr float floatOf(int32_t key) noexcept {
    uint32_t const bits = static_cast<uint32_t>(key);
    return std::bit_cast<float>(key < 0 ? (0U - bits) | 0x80000000U : bits);
}

/// Integers that order elements of type T like their numbers.
template <typename T>
struct RankKey {
    using Key = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
    static Key of(T value) noexcept {
        if constexpr (std::is_same_v<T, float>) {
            return floatKey(std::bit_cast<int32_t>(value), 0x7F800000);
        } else if constexpr (std::is_same_v<T, Half>) {
            return floatKey(static_cast<int16_t>(value.bits), int16_t{0x7C00});
        } else if constexpr (std::is_same_v<T, BFloat16>) {
            return floatKey(static_cast<int16_t>(value.bits), int16_t{0x7F80});
        } else {
            return static_cast<Key>(value);
        }
    }
};

/// A key and an index below 2^32 as one number. A better entry is greater: that with the greater
/// key, then that with the lower index.
struct ShortEntry {
    using Key = int32_t;
    static constexpr int64_t kMostIndices = int64_t{1} << 32;
    uint64_t bits = 0;

    static ShortEntry of(Key key, int64_t index) noexcept {
        uint64_t const high = static_cast<uint32_t>(key) ^ 0x80000000U;
        return {high << 32 | (~static_cast<uint64_t>(index) & 0xFFFFFFFFU)};
    }
    Key key() const noexcept { return static_cast<Key>((bits >> 32) ^ 0x80000000U); }
    int64_t index() const noexcept { return static_cast<int64_t>(~bits & 0xFFFFFFFFU); }
    bool operator>(ShortEntry const& other) const noexcept { return bits > other.bits; }
};

/// The same for all keys and indices.
struct LongEntry {
    using Key = int64_t;
    Key value = 0;
    int64_t place = 0;

    static LongEntry of(Key key, int64_t index) noexcept { return {key, index}; }
    Key key() const noexcept { return value; }
    int64_t index() const noexcept { return place; }
    bool operator>(LongEntry const& other) const noexcept {
        return value != other.value ? value > other.value : place < other.place;
    }
};

struct Better {
    template <typename Entry>
    bool operator()(Entry const& a, Entry const& b) const noexcept {
        return a > b;
    }
};

/// Finds the best k of some elements, in the order of their indices, without order among them.
template <typename T, typename Entry>
class BestElements {
public:
    using Key = typename Entry::Key;

    /// Entries of the buffer. Behind the best k there is room for many more, so that choosing k of
    /// them costs little for each.
    static int64_t capacity(int64_t k, int64_t extent) noexcept {
        return std::min(extent, 2 * k + 64);
    }

    /// With `flip` -1, the smallest elements are the best; else 0.
    BestElements(Entry* buffer, int64_t k, int64_t extent, Key flip) noexcept
        : buffer_(buffer), k_(k), capacity_(capacity(k, extent)), flip_(flip) {}

    /// Elements [begin, end) of a row. Returns the number of entries, at most k.
    int64_t select(T const* row, int64_t begin, int64_t end) noexcept {
        count_ = 0;
        hasBar_ = false;
        if constexpr (std::is_same_v<T, float>) {
            if (k_ <= kSampled && end - begin >= kLeastSample) {
                raiseBar(row + begin, std::min(end - begin, kSample));
            }
        }
        int64_t at = begin;
        for (; at + kBlock <= end; at += kBlock) {
            if (hasBar_ && !reaches<kBlock>(row + at)) {
                continue;
            }
            for (int64_t part = at; part < at + kBlock; part += kPart) {
                if (!hasBar_ || reaches<kPart>(row + part)) {
                    addAll(row, part, part + kPart);
                }
            }
        }
        if (at < end) {
            addAll(row, at, end);
        }
        if (count_ > k_) {
            keepBest();
        }
        return count_;
    }

    void sort() noexcept { std::sort(buffer_, buffer_ + count_, Better{}); }

private:
    static constexpr int64_t kBlock = 64;
    static constexpr int64_t kPart = 16; ///< of a block with a good element
    static constexpr int64_t kLanes = 32;
    static constexpr int64_t kFew = 32; ///< so few are kept in order, one insertion after another
    static constexpr int64_t kSampled = 8; ///< for so few, a sample gives a bar to begin with
    static constexpr int64_t kLeastSample = 256;
    static constexpr int64_t kSample = 1024;

    Key keyOf(T value) const noexcept { return static_cast<Key>(RankKey<T>::of(value)) ^ flip_; }

    /// Finds a number that at least k elements of a sample reach: the k-th best of the best ones of
    /// kLanes parts.
    void raiseBar(float const* sample, int64_t count) noexcept {
        constexpr float kLowest = -std::numeric_limits<float>::infinity();
        float const sign = flip_ != 0 ? -1.0F : 1.0F;
        std::array<float, kLanes> best;
        best.fill(kLowest);
        for (int64_t i = 0; i + kLanes <= count; i += kLanes) {
            for (int64_t j = 0; j < kLanes; ++j) {
                float const value = sign * sample[i + j];
                auto& own = best[static_cast<std::size_t>(j)];
                own = value > own ? value : own; // not for NaN
            }
        }
        // Removes the best one, and its equals, k - 1 times: what is left is no better than the
        // k-th.
        float bar = 0.0F;
        for (int64_t round = 0; round < k_; ++round) {
            bar = best[0];
            for (float const value : best) {
                bar = value > bar ? value : bar;
            }
            for (float& value : best) {
                value = value >= bar ? kLowest : value;
            }
        }
        setBar(keyOf(sign * bar) - 1); // equal ones are kept
    }

    /// Whether one of so many elements is above the worst of k that are kept: later ones that equal
    /// it lose.
    template <int64_t kCount>
    bool reaches(T const* elements) const noexcept {
        int32_t above = 0;
        if constexpr (!std::is_same_v<T, float>) {
            Key const bar = bar_;
            for (int64_t i = 0; i < kCount; ++i) {
                above |= keyOf(elements[i]) > bar ? 1 : 0;
            }
        } else if (flip_ == 0) { // a comparison is faster; NaN may be above
            float const bar = barValue_;
            for (int64_t i = 0; i < kCount; ++i) {
                above |= elements[i] <= bar ? 0 : 1;
            }
        } else {
            float const bar = barValue_;
            for (int64_t i = 0; i < kCount; ++i) {
                above |= elements[i] >= bar ? 0 : 1;
            }
        }
        return above != 0;
    }

    void addAll(T const* row, int64_t begin, int64_t end) noexcept {
        for (int64_t i = begin; i < end; ++i) {
            if constexpr (std::is_same_v<T, float>) {
                if (hasBar_ && (flip_ == 0 ? row[i] <= barValue_ : row[i] >= barValue_)) {
                    continue;
                }
            }
            Key const key = keyOf(row[i]);
            if (hasBar_ && key <= bar_) {
                continue;
            }
            if (k_ <= kFew) {
                insert(Entry::of(key, i));
                continue;
            }
            buffer_[count_++] = Entry::of(key, i);
            if (count_ == capacity_ && count_ > k_) {
                keepBest();
            }
        }
    }

    void insert(Entry entry) noexcept {
        int64_t at = count_ < k_ ? count_++ : k_ - 1;
        for (; at > 0 && entry > buffer_[at - 1]; --at) {
            buffer_[at] = buffer_[at - 1];
        }
        buffer_[at] = entry;
        if (count_ == k_) {
            setBar(buffer_[k_ - 1].key());
        }
    }

    void keepBest() noexcept {
        std::nth_element(buffer_, buffer_ + k_ - 1, buffer_ + count_, Better{});
        count_ = k_;
        setBar(buffer_[k_ - 1].key());
    }

    void setBar(Key bar) noexcept {
        bar_ = bar;
        barValue_ = floatOf(static_cast<int32_t>(bar_ ^ flip_));
        hasBar_ = true;
    }

    Entry* buffer_;
    int64_t k_;
    int64_t capacity_;
    Key flip_;
    int64_t count_ = 0;
    Key bar_ = 0;
    float barValue_ = 0.0F; ///< of float elements
    bool hasBar_ = false;
};

} // namespace kiln::targets::cpu
