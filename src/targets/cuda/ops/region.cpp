// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// region: several operations as one kernel: pointwise operations as generated code (see chain/),
// or a product or window with pointwise operations behind it (see anchor/, product/), also between
// dequantizations (see quantized/).
#include "graph/ops/region.h"

#include "targets/cuda/anchor/parts_kernel.h"
#include "targets/cuda/blaslt/product_kernel.h"
#include "targets/cuda/chain/chain_kernel.h"
#include "targets/cuda/cudnn/convolution_kernel.h"
#include "targets/cuda/product/warpgroup_product.h"
#include "targets/cuda/quantized/narrow_weights.h"
#include "targets/cuda/quantized/quantized_blaslt.h"
#include "targets/cuda/quantized/quantized_product.h"
#include "targets/cuda/quantized/quantized_warpgroups.h"

namespace kiln::targets::cuda {

void registerKernel_region(KernelRegistry& registry) {
    registry.add(regionCublasLt());
    registry.add(regionCublasLtTf32());
    registry.add(regionWarpgroups());
    registry.add(regionCudnn());
    registry.add(regionCudnnTf32());
    registry.add(regionNarrowWeights());
    registry.add(regionQuantizedCublasLt());
    registry.add(regionQuantizedWarpgroups());
    registry.add(regionQuantized());
    registry.add(regionParts());
    registry.add(entryOf<ChainKernel>("region_chain"));
}

} // namespace kiln::targets::cuda
