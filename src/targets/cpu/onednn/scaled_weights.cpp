// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/onednn/scaled_weights.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "graph/ops/convolution.h"
#include "targets/cpu/numeric.h"
#include "targets/cpu/onednn/prepared.h"

namespace kiln::targets::cpu::onednn {
namespace {

/// Scaling weights must move this many times fewer elements than scaling the source.
constexpr int64_t kWorthScaling = 2;

/// Whether `dims` is [1, channels, 1, ...] for a source [1, channels, ...].
bool scalesChannels(Dims const& dims, Dims const& source) {
    bool fits = dims.nbDims == source.nbDims && dims.nbDims > 2 && source.d[0] == 1;
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        fits = fits && dims.d[axis] == (axis == 1 ? source.d[1] : 1);
    }
    return fits;
}

/// Weights whose elements are the numbers of their channels, from 1 on.
std::vector<float> numbered(Weights const& weights) {
    int64_t count = 1;
    for (dnnl_dim_t const extent : weights.extents) {
        count *= extent;
    }
    int64_t const channels = weights.extents[1];
    int64_t const plane = count / (weights.extents[0] * channels);
    std::vector<float> elements(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < elements.size(); ++i) {
        elements[i] = static_cast<float>(static_cast<int64_t>(i) / plane % channels + 1);
    }
    return elements;
}

} // namespace

std::optional<ChannelRuns> channelRunsOf(Weights const& weights, Order order) {
    Bytes const packed =
        reordered(weights.in({}).get(), numbered(weights).data(), weights.in(order).get());
    std::vector<float> numbers(packed.size() / sizeof(float));
    std::memcpy(numbers.data(), packed.data(), numbers.size() * sizeof(float));
    auto const placeOf = [&](float number, int64_t from) {
        auto const begin = numbers.begin() + std::min<int64_t>(from, std::ssize(numbers));
        return std::find(begin, numbers.end(), number) - numbers.begin();
    };
    int64_t const count = std::ssize(numbers);
    int64_t const channels = weights.extents[1];
    ChannelRuns runs{channels > 1 ? placeOf(2.0F, 0) : 1, channels};
    int64_t const again = runs.run > 0 ? placeOf(1.0F, runs.run) : 0;
    if (channels > 1 && runs.run > 0 && again % runs.run == 0) {
        runs.period = again / runs.run; // of all elements, if the first channel does not return
    }
    if (runs.run < 1 || runs.period < channels || count % runs.run != 0) {
        return std::nullopt;
    }
    for (int64_t i = 0; i < count; ++i) { // 0 is padding, and stays 0
        float const number = numbers[static_cast<std::size_t>(i)];
        if (number != 0.0F && number != static_cast<float>(i / runs.run % runs.period + 1)) {
            return std::nullopt;
        }
    }
    return runs;
}

void findScale(Fusion& fusion, target::NodeSpec const& node) {
    for (std::size_t i = 0; i < fusion.product.size(); ++i) {
        auto const own = static_cast<std::size_t>(fusion.product[i]);
        auto const other = static_cast<std::size_t>(fusion.product[1 - i]);
        if (scalesChannels(node.inputs[own].opt, node.inputs[other].opt) &&
            !sameDims(node.inputs[own].opt, node.inputs[other].opt)) {
            fusion.setScale(fusion.product[i]);
        }
    }
}

std::string scaleProblem(Fusion const& fusion, target::Workload const& workload) {
    if (fusion.scale < 0) {
        return {};
    }
    auto const* convolution = dynamic_cast<graph::Convolution const*>(fusion.anchor);
    Dims const& scale = workload.inputs[static_cast<std::size_t>(fusion.scale)];
    Dims const& source = workload.inputs[fusion.inputOfAnchor(0)];
    if (convolution == nullptr || convolution->groups != 1 || workload.type() != DataType::kFLOAT) {
        return "expected a scale in front of a float32 convolution without groups";
    }
    if (!scalesChannels(scale, source)) {
        return fmt::format("expected the scale of each channel of one image in front of a "
                           "convolution, got {} for {}",
                           toText(scale), toText(source));
    }
    return {};
}

std::string scaleIsSlow(Fusion const& fusion, target::NodeSpec const& node) {
    if (fusion.scale < 0) {
        return {};
    }
    target::OperandSpec const& weights = node.inputs[fusion.inputOfAnchor(1)];
    int64_t const moved = volume(weights.opt, "weights");
    int64_t const source = volume(node.inputs[fusion.inputOfAnchor(0)].opt, "source");
    if (!weights.constant) {
        return "expected constant weights behind a scale";
    }
    return source >= kWorthScaling * moved
               ? std::string()
               : fmt::format("expected a source of {} times as many elements as the weights, which "
                             "each run scales, got {} and {}",
                             kWorthScaling, source, moved);
}

void scaleWeights(ChannelRuns const& runs, ByteView weights, float const* scale, int64_t channels,
                  float* to) {
    auto const* from = reinterpret_cast<float const*>(weights.data());
    auto const count = static_cast<int64_t>(weights.size() / sizeof(float)) / runs.run;
    parallelFor(count, grainFor(runs.run), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            int64_t const channel = i % runs.period;
            float const factor = channel < channels ? scale[channel] : 0.0F;
            float const* const source = from + i * runs.run;
            float* const target = to + i * runs.run;
            for (int64_t k = 0; k < runs.run; ++k) {
                target[k] = source[k] * factor;
            }
        }
    });
}

} // namespace kiln::targets::cpu::onednn
