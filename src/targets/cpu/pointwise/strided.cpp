// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/pointwise/strided.h"

#include "base/narrow_numbers.h"
#include "targets/cpu/block.h"

namespace kiln::targets::cpu {
namespace {

struct Boolean {
    uint8_t bits;
};

template <typename F>
void withType(DataType type, F&& f) noexcept {
    switch (type) {
    case DataType::kHALF: return f(Half{});
    case DataType::kBF16: return f(BFloat16{});
    case DataType::kBOOL: return f(Boolean{});
    case DataType::kINT8: return f(int8_t{});
    case DataType::kUINT8: return f(uint8_t{});
    case DataType::kINT32: return f(int32_t{});
    case DataType::kINT64: return f(int64_t{});
    case DataType::kFP8: return f(Float8{});
    case DataType::kE8M0: return f(PowerOfTwo8{});
    default: return f(float{});
    }
}

template <typename T>
float asFloat(T value) noexcept {
    if constexpr (std::is_same_v<T, Boolean>) {
        return value.bits != 0 ? 1.0F : 0.0F;
    } else {
        return static_cast<float>(value);
    }
}

template <typename T>
constexpr std::size_t kWholeOf =
    static_cast<std::size_t>(std::is_same_v<T, int8_t>    ? WholeType::kInt8
                             : std::is_same_v<T, uint8_t> ? WholeType::kUint8
                             : std::is_same_v<T, int32_t> ? WholeType::kInt32
                             : std::is_same_v<T, int64_t> ? WholeType::kInt64
                                                          : WholeType::kBool);

template <typename T>
constexpr bool kIsWhole = std::is_integral_v<T> || std::is_same_v<T, Boolean>;

/// Types whose numbers are converted one by one.
template <typename T>
constexpr bool kIsNarrow = std::is_same_v<T, Float8> || std::is_same_v<T, PowerOfTwo8>;

template <typename T>
void readRow(T const* from, int64_t stride, float* to, int64_t count) noexcept {
    if (stride == 0) {
        std::fill_n(to, count, asFloat(*from));
        return;
    }
    if (stride == 1) {
        if constexpr (kIsWhole<T>) {
            isa().wholeToFloat[kWholeOf<T>](from, to, count);
            return;
        } else if constexpr (std::is_same_v<T, Float8>) {
            isa().fp8ToFloat(reinterpret_cast<uint8_t const*>(from), to, count);
            return;
        } else if constexpr (!kIsNarrow<T>) {
            toFloats(from, to, count);
            return;
        }
    }
    for (int64_t i = 0; i < count; ++i) {
        to[i] = asFloat(from[i * stride]);
    }
}

template <typename T>
void readAll(T const* from, Loops const& loops, int64_t first, int64_t count, float* to) noexcept {
    if (loops.rank <= 1) {
        int64_t const stride = loops.rank == 0 ? 0 : loops.strides[0];
        readRow(from + first * stride, stride, to, count);
        return;
    }
    // Positions along the loops, and the offset that they give.
    auto const last = static_cast<std::size_t>(loops.rank - 1);
    std::array<int64_t, Dims::MAX_DIMS> position{};
    int64_t offset = 0;
    int64_t rest = first;
    for (std::size_t loop = last + 1; loop-- > 0;) {
        position[loop] = rest % loops.extents[loop];
        rest /= loops.extents[loop];
        offset += position[loop] * loops.strides[loop];
    }
    while (count > 0) {
        int64_t const here = std::min(count, loops.extents[last] - position[last]);
        readRow(from + offset, loops.strides[last], to, here);
        to += here;
        count -= here;
        offset -= position[last] * loops.strides[last];
        position[last] = 0;
        for (std::size_t loop = last; loop-- > 0;) {
            offset += loops.strides[loop];
            if (++position[loop] < loops.extents[loop]) {
                break;
            }
            offset -= loops.extents[loop] * loops.strides[loop];
            position[loop] = 0;
        }
    }
}

} // namespace

void Loops::add(int64_t extent, int64_t stride) noexcept {
    if (extent == 1) {
        return;
    }
    if (rank > 0) {
        auto const last = static_cast<std::size_t>(rank - 1);
        if (strides[last] == stride * extent) {
            extents[last] *= extent;
            strides[last] = stride;
            return;
        }
    }
    extents[static_cast<std::size_t>(rank)] = extent;
    strides[static_cast<std::size_t>(rank++)] = stride;
}

void readElements(DataType type, void const* from, Loops const& loops, int64_t first, int64_t count,
                  float* to) noexcept {
    withType(type, [&](auto sample) {
        readAll(static_cast<decltype(sample) const*>(from), loops, first, count, to);
    });
}

float readElement(DataType type, void const* from, int64_t index) noexcept {
    float value = 0.0F;
    withType(type, [&](auto sample) {
        value = asFloat(static_cast<decltype(sample) const*>(from)[index]);
    });
    return value;
}

void writeElements(DataType type, float const* from, void* to, int64_t first,
                   int64_t count) noexcept {
    withType(type, [&](auto sample) {
        using T = decltype(sample);
        T* const target = static_cast<T*>(to) + first;
        if constexpr (kIsWhole<T>) {
            isa().floatToWhole[kWholeOf<T>](from, target, count);
        } else if constexpr (std::is_same_v<T, Float8>) {
            isa().floatToFp8(from, reinterpret_cast<uint8_t*>(target), count);
        } else if constexpr (kIsNarrow<T>) {
            for (int64_t i = 0; i < count; ++i) {
                target[i] = T(from[i]);
            }
        } else {
            fromFloats(from, target, count);
        }
    });
}

void roundElements(DataType type, float const* from, float* to, int64_t count) noexcept {
    if (type == DataType::kFP8) {
        forBlocks(0, count, [&](int64_t first, int64_t part) {
            uint8_t block[kBlock];
            isa().floatToFp8(from + first, block, part);
            isa().fp8ToFloat(block, to + first, part);
        });
        return;
    }
    forBlocks(0, count, [&](int64_t first, int64_t part) {
        auto const through = [&](auto* block) {
            fromFloats(from + first, block, part);
            toFloats(block, to + first, part);
        };
        if (type == DataType::kHALF) {
            Half block[kBlock];
            through(block);
        } else if (type == DataType::kBF16) {
            BFloat16 block[kBlock];
            through(block);
        } else if (from != to) {
            toFloats(from + first, to + first, part);
        }
    });
}

} // namespace kiln::targets::cpu
