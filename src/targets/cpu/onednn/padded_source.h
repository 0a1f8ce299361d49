// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sources of convolutions with padded channels. oneDNN multiplies pairs and blocks of channels: an
// image with 3 of them, padded with zeros to 4 or 8, runs faster than it is in 16-bit types. The
// weights are packed with zeros in the same places.
#pragma once

#include "target/candidate.h"
#include "targets/cpu/onednn/fusion.h"

namespace kiln::targets::cpu::onednn {

/// Whether the source of a convolution has padded channels.
bool hasPaddedSource(Fusion const& fusion, std::span<target::OperandType const> inputs);

/// Channels in memory, padding included.
int64_t channelsInMemory(target::OperandType const& type, int64_t channels);

/// Why the operands, weights aside, may not have these layouts of the target's own; empty if they
/// may.
std::string layoutProblem(Fusion const& fusion, std::span<target::OperandType const> inputs,
                          target::OperandType const& output);

/// Weights [maps, channels, ...] with the channels of such a source.
Bytes paddedWeights(target::ConstantOperand const& weights, DataType type, int64_t channels);

/// The forms of a node with padded channels that may be faster than without.
std::vector<target::Form> paddedForms(Fusion const& fusion, target::NodeSpec const& node);

/// Whether a node has an operand that may be such a source: a quick look.
bool hasFewChannels(target::NodeSpec const& node);

} // namespace kiln::targets::cpu::onednn
