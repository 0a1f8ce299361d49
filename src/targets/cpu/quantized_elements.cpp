// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/quantized_elements.h"

#include <algorithm>
#include <array>

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

std::array<float, 16> tableOf(DataType type) noexcept {
    std::array<float, 16> table{};
    for (uint8_t code = 0; code < 16; ++code) {
        table[code] =
            type == DataType::kFP4 ? fp4ToFloat(code) : static_cast<float>(int4ToInt(code));
    }
    return table;
}

/// To whole numbers, with one conversion; float32 is read where it is.
void quantizeWhole(Quantization const& how, void const* from, void const* scales, void const* zeros,
                   void* to, float const* factor) noexcept {
    graph::Limits const limits = graph::limitsOf(how.narrow);
    auto const function = isa().quantize[how.narrow == DataType::kUINT8 ? 1 : 0];
    bool const packs = bitsOf(how.narrow) == 4;
    forDense(how.count, [&](int64_t first, int64_t length) {
        float block[kBlock];
        uint8_t codes[kBlock];
        float const* x = block;
        if (how.wide == DataType::kFLOAT) {
            x = static_cast<float const*>(from) + first;
        } else {
            readDense(how.wide, from, first, length, block);
        }
        uint8_t* const target = packs ? codes : static_cast<uint8_t*>(to) + first;
        forRuns(how.blocks, first, length, [&](int64_t begin, int64_t count, int64_t at) {
            float scale = numberAt(how.scale, scales, at);
            float const zero = how.hasZero ? numberAt(how.narrow, zeros, at) : 0.0F;
            if (factor != nullptr) {
                scale *= *factor;
                if (scale == 0.0F) {
                    std::fill_n(target + begin, count, uint8_t{0});
                    return;
                }
            }
            function(x + begin, {scale, zero, limits.least, limits.most}, target + begin, count);
        });
        if (packs) {
            isa().packNibbles(codes, static_cast<uint8_t*>(to) + first / 2, length);
        }
    });
}

} // namespace

void readDense(DataType type, void const* from, int64_t first, int64_t count, float* to) noexcept {
    if (bitsOf(type) == 4) {
        auto const table = tableOf(type);
        if (first % 2 != 0 && count > 0) {
            *to++ = table[nibbleAt(from, first++)];
            --count;
        }
        isa().nibblesToFloat(static_cast<uint8_t const*>(from) + first / 2, table.data(), to,
                             count);
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
    auto* const bytes = static_cast<uint8_t*>(to) + first / 2;
    forBlocks(0, count, [&](int64_t begin, int64_t length) {
        uint8_t codes[kBlock];
        if (type == DataType::kFP4) {
            isa().floatToFp4(from + begin, codes, length);
        } else {
            for (int64_t i = 0; i < length; ++i) {
                float const number = from[begin + i];
                float const clamped = number != number ? 0.0F : std::clamp(number, -8.0F, 7.0F);
                codes[i] = static_cast<uint8_t>(static_cast<int32_t>(clamped));
            }
        }
        isa().packNibbles(codes, bytes + begin / 2, length);
    });
}

void quantize(Quantization const& how, void const* from, void const* scales, void const* zeros,
              void* to, float const* factor) noexcept {
    if (graph::isWholeQuantized(how.narrow)) {
        quantizeWhole(how, from, scales, zeros, to, factor);
        return;
    }
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
