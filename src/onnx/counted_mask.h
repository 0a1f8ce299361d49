// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// The number of true elements of a mask, as an extent. Exporters compute the shape of x[mask] as
// the sum of the mask, which is data; what finds the elements knows their number as an extent.
#pragma once

#include "onnx/node_context.h"

namespace kiln::onnx {

// Notes on the outputs of a node that was imported whether they hold the elements of a mask as
// numbers, or their sum.
void noteMask(NodeContext& context);

// The sum of the elements of a mask as a vector of one extent.
nvinfer1::ITensor& countOfMask(NodeContext& context, nvinfer1::ITensor& mask);

// Replaces sums of masks in front of a concatenation of extents by extents.
void useCountsOfMasks(NodeContext& context);

} // namespace kiln::onnx
