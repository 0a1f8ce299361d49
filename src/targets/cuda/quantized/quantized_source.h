// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "targets/cuda/driver/nvrtc.h"
#include "targets/cuda/quantized/quantized_region.h"

namespace kiln::targets::cuda {

/// The source of kernels/quantized_product.cuh for one region: functions product_large,
/// product_medium and product_small, by the size of their tiles.
SourceText quantizedSource(QuantizedRegion const& region, target::NodeSpec const& node);

/// That of kernels/quantized_warpgroups.cuh: functions product_64 and product_128, by the columns
/// of their tiles.
SourceText warpgroupSource(QuantizedRegion const& region, target::NodeSpec const& node);

/// That of kernels/quantized_finish.cuh: a function `finish`, which reads the sums in its
/// workspace.
SourceText quantizedFinish(QuantizedRegion const& region, target::NodeSpec const& node);

/// The function resultOf() of what follows the sums, for a struct `Operands` with the pointers p0,
/// p1, ... of region.operands(), and the functions that it calls.
std::string resultSource(QuantizedRegion const& region, target::NodeSpec const& node);
/// The members p0, p1, ... of `Operands`.
std::string operandMembers(QuantizedRegion const& region, target::NodeSpec const& node);

} // namespace kiln::targets::cuda
