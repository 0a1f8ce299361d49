// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <vector>

#include <NvInfer.h>

#include "logger.h"

namespace kiln::trtexec {

/// Implements --sparsity=force: of each four neighbouring weights of convolutions and matrix
/// multiplies, along the axis that is summed over, the two smallest become 0. A remainder of fewer
/// than four stays. Owns the changed weights, so it must exist until the plan is built.
class PrunedWeights {
public:
    PrunedWeights(nvinfer1::INetworkDefinition& network, Logger& logger);

private:
    nvinfer1::Weights pruned(nvinfer1::Weights const& weights, nvinfer1::Dims const& dims,
                             int32_t axis);

    std::list<std::vector<std::byte>> owned_;
};

/// Zeros two of each four numbers along an axis. Elements are of 4 bytes (float) or 2 (half,
/// bfloat16): a number that is smaller has a smaller pattern of bits, but for the sign.
void pruneTwoOfFour(std::byte* data, std::size_t elementBytes, nvinfer1::Dims const& dims,
                    int32_t axis);

} // namespace kiln::trtexec
