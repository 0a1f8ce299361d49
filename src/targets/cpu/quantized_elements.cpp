// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/quantized_elements.h"

#include <algorithm>

#include "base/narrow_numbers.h"
#include "targets/cpu/block.h"
#include "targets/cpu/pointwise/strided.h"

namespace kiln::targets::cpu {
namespace {

/// Calls body(first, count, scale) for the elements [begin, begin + length) in runs that share a
/// scale.
template <typename Body>
void forRuns(graph::ScaleBlocks const& blocks, int64_t begin, int64_t length, Body&& body) {
    graph::ScaleBlocks::Loop const& inner = blocks.inner();
    for (int64_t done = 0; done < length;) {
        int64_t const position = (begin + done) % inner.extent;
        int64_t const rest =
            std::min(inner.block - position % inner.block, inner.extent - position);
        int64_t const count = std::min(rest, length - done);
        body(done, count, blocks.scaleOf(begin + done));
        done += count;
    }
}

float numberAt(DataType type, void const* data, int64_t index) noexcept {
    float number = 0.0F;
    readDense(type, data, index, 1, &number);
    return number;
}

/// Calls body(first, count) for blocks of an even length, in parallel.
template <typename Body>
void forDense(int64_t count, Body&& body) {
    static_assert(kBlock % 2 == 0);
    parallelFor((count + kBlock - 1) / kBlock, grainFor(2 * kBlock),
                [&](int64_t begin, int64_t end) {
                    for (int64_t block = begin; block < end; ++block) {
                        int64_t const first = block * kBlock;
                        body(first, std::min(kBlock, count - first));
                    }
                });
}

void quantizeWhole(float* x, int64_t count, float scale, float zero,
                   graph::Limits limits) noexcept {
    // Limits are whole, so clamping first gives the same numbers. Adding 1.5 * 2^23 rounds.
    float const least = limits.least - zero;
    float const most = limits.most - zero;
    constexpr float kRounder = 12582912.0F;
    for (int64_t i = 0; i < count; ++i) {
        float const clamped = std::min(std::max(x[i] / scale, least), most);
        x[i] = clamped + kRounder - kRounder + zero;
    }
}

} // namespace

void readDense(DataType type, void const* from, int64_t first, int64_t count, float* to) noexcept {
    if (bitsOf(type) == 4) {
        for (int64_t i = 0; i < count; ++i) {
            uint8_t const bits = nibbleAt(from, first + i);
            to[i] = type == DataType::kFP4 ? fp4ToFloat(bits) : static_cast<float>(int4ToInt(bits));
        }
        return;
    }
    Loops loops;
    loops.rank = 1;
    loops.extents[0] = first + count;
    loops.strides[0] = 1;
    readElements(type, from, loops, first, count, to);
}

void writeDense(DataType type, float const* from, void* to, int64_t first, int64_t count) noexcept {
    if (bitsOf(type) != 4) {
        writeElements(type, from, to, first, count);
        return;
    }
    auto const code = [&](float number) -> unsigned {
        if (type == DataType::kFP4) {
            return floatToFp4(number);
        }
        float const clamped = number != number ? 0.0F : std::clamp(number, -8.0F, 7.0F);
        return static_cast<unsigned>(static_cast<int32_t>(clamped)) & 15U;
    };
    auto* bytes = static_cast<uint8_t*>(to) + first / 2;
    for (int64_t i = 0; i < count; i += 2) {
        unsigned const high = i + 1 < count ? code(from[i + 1]) : 0U;
        bytes[i / 2] = static_cast<uint8_t>(code(from[i]) | high << 4);
    }
}

void quantize(Quantization const& how, void const* from, void const* scales, void const* zeros,
              void* to, float const* factor) noexcept {
    bool const whole = graph::isWholeQuantized(how.narrow);
    graph::Limits const limits = graph::limitsOf(how.narrow);
    forDense(how.count, [&](int64_t first, int64_t length) {
        float block[kBlock];
        readDense(how.wide, from, first, length, block);
        forRuns(how.blocks, first, length, [&](int64_t begin, int64_t count, int64_t at) {
            float scale = numberAt(how.scale, scales, at);
            float const zero = how.hasZero ? numberAt(how.narrow, zeros, at) : 0.0F;
            float* const x = block + begin;
            if (factor != nullptr) {
                scale *= *factor;
                if (scale == 0.0F) {
                    std::fill_n(x, count, 0.0F);
                    return;
                }
            }
            if (whole) {
                quantizeWhole(x, count, scale, zero, limits);
                return;
            }
            for (int64_t i = 0; i < count; ++i) {
                x[i] = x[i] / scale + zero;
            }
        });
        writeDense(how.narrow, block, to, first, length);
    });
}

void dequantize(Quantization const& how, void const* from, void const* scales, void const* zeros,
                void* to) noexcept {
    forDense(how.count, [&](int64_t first, int64_t length) {
        float block[kBlock];
        readDense(how.narrow, from, first, length, block);
        forRuns(how.blocks, first, length, [&](int64_t begin, int64_t count, int64_t at) {
            float const scale = numberAt(how.scale, scales, at);
            float const zero = how.hasZero ? numberAt(how.narrow, zeros, at) : 0.0F;
            for (int64_t i = begin; i < begin + count; ++i) {
                block[i] = (block[i] - zero) * scale;
            }
        });
        writeDense(how.wide, block, to, first, length);
    });
}

} // namespace kiln::targets::cpu
