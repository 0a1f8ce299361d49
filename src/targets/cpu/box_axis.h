// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "kiln/extra_layers.h"

namespace kiln::targets::cpu {

/// One axis of a box that is sampled in bins.
struct BoxAxis {
    float begin = 0.0F;
    float bin = 0.0F;    ///< length of a bin
    int64_t samples = 0; ///< of a bin
    int64_t size = 0;    ///< elements of the image

    BoxAxis(RoiAlignParams const& params, float low, float high, int64_t bins, int64_t extent)
        : size(extent) {
        float const offset = params.halfPixel ? 0.5F : 0.0F;
        begin = low * params.scale - offset;
        float length = high * params.scale - offset - begin;
        if (!params.halfPixel) {
            length = std::fmax(length, 1.0F);
        }
        bin = length / static_cast<float>(bins);
        constexpr float kMost = 0x1p30F;
        samples = params.samplingRatio > 0
                      ? params.samplingRatio
                      : static_cast<int64_t>(std::fmin(std::fmax(std::ceil(bin), 0.0F), kMost));
    }

    /// The samples [first, second) of a bin, beyond which all are outside of the image.
    std::pair<int64_t, int64_t> inside(int64_t number) const noexcept {
        float const step = bin / static_cast<float>(samples);
        float const start = begin + static_cast<float>(number) * bin;
        if (!(step > 0.0F)) {
            return {0, samples};
        }
        auto const most = static_cast<float>(samples);
        float const first = std::floor((-1.0F - start) / step) - 2.0F;
        float const last = std::ceil((static_cast<float>(size) - start) / step) + 2.0F;
        return {static_cast<int64_t>(std::fmin(std::fmax(first, 0.0F), most)),
                static_cast<int64_t>(std::fmin(std::fmax(last, 0.0F), most))};
    }

    /// The element in front of sample `i` of a bin, and the weight of the next one, which is 0 for
    /// the last element; false if the sample is outside.
    bool sample(int64_t number, int64_t i, int64_t& low, float& fraction) const noexcept {
        float at = begin + static_cast<float>(number) * bin +
                   (static_cast<float>(i) + 0.5F) * bin / static_cast<float>(samples);
        if (!(at >= -1.0F && at <= static_cast<float>(size)) || size == 0) { // also NaN
            return false;
        }
        at = std::fmax(at, 0.0F);
        low = std::min(static_cast<int64_t>(at), size - 1);
        fraction = low == size - 1 ? 0.0F : at - static_cast<float>(low);
        return true;
    }
};

/// One axis of a box whose bins have integer borders.
struct BinAxis {
    int64_t begin = 0;
    float bin = 0.0F;
    int64_t size = 0;

    BinAxis(RoiAlignParams const& params, float low, float high, int64_t bins, int64_t extent)
        : begin(rounded(low * params.scale)), size(extent) {
        int64_t const length = std::max<int64_t>(rounded(high * params.scale) - begin + 1, 1);
        bin = static_cast<float>(length) / static_cast<float>(bins);
    }

    std::pair<int64_t, int64_t> elements(int64_t number) const noexcept {
        auto const first = static_cast<int64_t>(std::floor(static_cast<float>(number) * bin));
        auto const last = static_cast<int64_t>(std::ceil(static_cast<float>(number + 1) * bin));
        return {std::clamp<int64_t>(begin + first, 0, size),
                std::clamp<int64_t>(begin + last, 0, size)};
    }

private:
    static int64_t rounded(float x) noexcept {
        constexpr float kMost = 0x1p30F;
        return static_cast<int64_t>(std::round(std::fmin(std::fmax(x, -kMost), kMost)));
    }
};

} // namespace kiln::targets::cpu
