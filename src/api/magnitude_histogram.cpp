// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/magnitude_histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace kiln::api {
namespace {

constexpr std::size_t kLevels = 128;

/// The divergence if the first `count` bins are kept: the rest is clamped to the last one, and the
/// bins are merged to kLevels levels.
double divergence(std::span<double const> bins, std::size_t count, double total) {
    double const outliers =
        std::accumulate(bins.begin() + static_cast<std::ptrdiff_t>(count), bins.end(), 0.0);
    double const kept = total - outliers;
    if (kept <= 0.0) {
        return std::numeric_limits<double>::infinity();
    }
    double sum = 0.0;
    for (std::size_t level = 0; level < kLevels; ++level) {
        std::size_t const begin = level * count / kLevels;
        std::size_t const end = (level + 1) * count / kLevels;
        double mass = 0.0;
        int64_t filled = 0;
        for (std::size_t i = begin; i < end; ++i) {
            mass += bins[i];
            filled += bins[i] > 0.0 ? 1 : 0;
        }
        for (std::size_t i = begin; i < end; ++i) {
            double const reference = bins[i] + (i + 1 == count ? outliers : 0.0);
            // Clamped elements may lie where there are no others: half an element stands there.
            double const merged = bins[i] > 0.0 ? mass / static_cast<double>(filled) : 0.5;
            if (reference > 0.0) {
                double const p = reference / total;
                sum += p * std::log(p / (merged / kept));
            }
        }
    }
    return sum;
}

} // namespace

void MagnitudeHistogram::add(std::span<float const> numbers) {
    float most = 0.0F;
    for (float const number : numbers) {
        float const magnitude = std::fabs(number);
        most = std::isfinite(magnitude) ? std::max(most, magnitude) : most;
    }
    largest_ = std::max(largest_, most);
    if (width_ == 0.0F && most > 0.0F) {
        width_ = std::max(most / static_cast<float>(kBins), std::numeric_limits<float>::min());
    }
    while (width_ > 0.0F && most > width_ * static_cast<float>(kBins)) {
        for (std::size_t i = 0; i < kBins; ++i) {
            bins_[i] = i < kBins / 2 ? bins_[2 * i] + bins_[2 * i + 1] : 0;
        }
        width_ *= 2.0F;
    }
    for (float const number : numbers) {
        float const magnitude = std::fabs(number);
        if (!std::isfinite(magnitude)) {
            continue;
        }
        auto const bin = width_ > 0.0F ? static_cast<std::size_t>(magnitude / width_) : 0;
        ++bins_[std::min(bin, kBins - 1)];
    }
}

float MagnitudeHistogram::leastLoss(bool withZeros) const {
    std::vector<double> bins(bins_.begin(), bins_.end());
    if (!withZeros) {
        bins[0] = bins[1]; // zeros of activations and of padding say nothing about a range
    }
    double const total = std::accumulate(bins.begin(), bins.end(), 0.0);
    if (width_ == 0.0F || total == 0.0) {
        return largest_;
    }
    double best = std::numeric_limits<double>::infinity();
    std::size_t at = kBins;
    for (std::size_t count = kLevels; count <= kBins; ++count) {
        if (double const loss = divergence(bins, count, total); loss < best) {
            best = loss;
            at = count;
        }
    }
    return std::min((static_cast<float>(at) + 0.5F) * width_, largest_);
}

float MagnitudeHistogram::covering(double fraction, double cutoff) const {
    int64_t const total = std::accumulate(bins_.begin(), bins_.end(), int64_t{0});
    float range = largest_;
    int64_t seen = 0;
    for (std::size_t i = 0; i < kBins && fraction > 0.0 && fraction < 1.0; ++i) {
        seen += bins_[i];
        if (static_cast<double>(seen) >= fraction * static_cast<double>(total)) {
            range = std::min(static_cast<float>(i + 1) * width_, largest_);
            break;
        }
    }
    return std::max(range, static_cast<float>(std::clamp(cutoff, 0.0, 1.0)) * largest_);
}

void MagnitudeHistogram::save(ByteWriter& writer) const {
    writer.put(largest_);
    writer.put(width_);
    for (int64_t const count : bins_) {
        writer.put(count);
    }
}

MagnitudeHistogram MagnitudeHistogram::load(ByteReader& reader) {
    MagnitudeHistogram result;
    result.largest_ = reader.get<float>();
    result.width_ = reader.get<float>();
    for (int64_t& count : result.bins_) {
        count = reader.get<int64_t>();
    }
    return result;
}

} // namespace kiln::api
