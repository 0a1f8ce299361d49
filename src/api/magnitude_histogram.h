// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace kiln::api {

/// How often the elements of a tensor have which magnitude, for the choice of its range. The bins
/// grow with the largest element: two of them become one. Elements that are not finite do not
/// count.
class MagnitudeHistogram {
public:
    static constexpr std::size_t kBins = 2048;

    void add(std::span<float const> numbers);

    float largest() const noexcept { return largest_; }
    /// The range that loses the least information with 128 levels, by the divergence of Kullback
    /// and Leibler between the distributions before and after. S. Migacz, "8-bit Inference with
    /// TensorRT", GTC 2017. `withZeros`: whether the bin around zero counts.
    float leastLoss(bool withZeros) const;
    /// The smallest range that covers a fraction of the elements, at least `cutoff` times the
    /// largest.
    float covering(double fraction, double cutoff) const;

    void save(ByteWriter& writer) const;
    static MagnitudeHistogram load(ByteReader& reader);

private:
    float largest_ = 0.0F;
    float width_ = 0.0F; ///< of a bin; 0: only zeros were added
    std::vector<int64_t> bins_ = std::vector<int64_t>(kBins, 0);
};

} // namespace kiln::api
