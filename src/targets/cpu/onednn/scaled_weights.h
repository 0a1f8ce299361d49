// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A scale of channels in front of a convolution, as a squeeze-and-excitation block has it. Each run
// scales the packed weights instead of the source, which is larger: both give the same sums.
#pragma once

#include <optional>

#include "target/candidate.h"
#include "target/workload/workload.h"
#include "targets/cpu/onednn/fusion.h"
#include "targets/cpu/onednn/tensors.h"

namespace kiln::targets::cpu::onednn {

/// Where packed weights have their channels: element e belongs to channel (e / run) % period.
/// Channels from the number of the source on are padding.
struct ChannelRuns {
    int64_t run = 0; ///< 0: unknown
    int64_t period = 0;

    bool operator==(ChannelRuns const&) const = default;
};

/// Empty if the order scatters the channels.
std::optional<ChannelRuns> channelRunsOf(Weights const& weights, Order order);

/// Makes the factor that has one value for each channel the scale, if a product is in front of the
/// anchor and one of its factors is that at the optimum.
void findScale(Fusion& fusion, target::NodeSpec const& node);

/// Why a kernel cannot scale the weights at these shapes; empty if it can, and without a scale.
std::string scaleProblem(Fusion const& fusion, target::Workload const& workload);

/// Why it is not worth it; empty if it is, and without a scale.
std::string scaleIsSlow(Fusion const& fusion, target::NodeSpec const& node);

/// `to` = weights * scale of their channel, float32, in parallel.
void scaleWeights(ChannelRuns const& runs, ByteView weights, float const* scale, int64_t channels,
                  float* to);

} // namespace kiln::targets::cpu::onednn
