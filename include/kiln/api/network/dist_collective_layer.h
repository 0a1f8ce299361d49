// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/collective_operation.h"
#include "kiln/api/network/layer.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Exchanges tensors between the devices of a group; see CollectiveOperation.
//!
//! Input 0 and output 0: kFLOAT, kHALF, kBF16, kINT32, kINT64, kINT8, kUINT8 or kBOOL (kBOOL is not
//! reduced). The output has the shape of the input, except along axis 0: times the number of ranks
//! for kALL_GATHER and kGATHER, divided by it for kREDUCE_SCATTER and kSCATTER.
//!
//! ILayer::setNbRanks() sets the number of ranks.
class IDistCollectiveLayer : public ILayer {
public:
    ~IDistCollectiveLayer() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
