// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/random_values.h"

#include <bit>
#include <cstdint>

#include "failure.h"
#include "run/element.h"

namespace kiln::trtexec {
namespace {

using nvinfer1::DataType;

/// SplitMix64: reproducible across compilers and libraries, unlike std::*_distribution.
class Random {
public:
    explicit Random(std::string const& name) {
        for (char const c : name) {
            state_ = state_ * 31 + static_cast<unsigned char>(c);
        }
    }

    /// 0 to 255.
    int byte() {
        uint64_t z = state_ += 0x9E3779B97F4A7C15U;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
        return static_cast<int>(z >> 56);
    }

private:
    uint64_t state_ = 0;
};

/// binary16 bits of `steps`/128 for |steps| <= 128, which are exact.
uint16_t halfOf(int steps) {
    if (steps == 0) {
        return 0;
    }
    auto const magnitude = static_cast<unsigned>(steps < 0 ? -steps : steps);
    auto const width = static_cast<unsigned>(std::bit_width(magnitude));
    unsigned const fraction = (magnitude << (11 - width)) & 0x3FFU;
    unsigned const exponent = 15 + width - 1 - 7;
    return static_cast<uint16_t>((steps < 0 ? 0x8000U : 0U) | (exponent << 10) | fraction);
}

uint16_t bfloat16Of(float value) {
    return static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
}

template <typename T, typename Next>
void fill(TensorBuffer& tensor, Next next) {
    T* const values = static_cast<T*>(tensor.data());
    size_t const count = tensor.count();
    for (size_t i = 0; i < count; ++i) {
        values[i] = static_cast<T>(next());
    }
}

} // namespace

void fillRandom(TensorBuffer& tensor) {
    Random random(tensor.name());
    auto const steps = [&] { return random.byte() - 128; };
    auto const real = [&] { return static_cast<float>(steps()) / 128.0F; };
    switch (tensor.type()) {
    case DataType::kFLOAT: return fill<float>(tensor, real);
    case DataType::kHALF: return fill<uint16_t>(tensor, [&] { return halfOf(steps()); });
    case DataType::kBF16: return fill<uint16_t>(tensor, [&] { return bfloat16Of(real()); });
    case DataType::kINT8: return fill<int8_t>(tensor, steps);
    case DataType::kUINT8: return fill<uint8_t>(tensor, [&] { return random.byte(); });
    case DataType::kBOOL: return fill<uint8_t>(tensor, [&] { return random.byte() & 1; });
    case DataType::kINT32: return fill<int32_t>(tensor, steps);
    case DataType::kINT64: return fill<int64_t>(tensor, steps);
    default: break;
    }
    fail("[run] input '{}': no random values for type {}. Pass --loadInputs={}:FILE", tensor.name(),
         nameOf(tensor.type()), tensor.name());
}

} // namespace kiln::trtexec
