// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Extents that only data gives, such as the sum of the repeats in torch.repeat_interleave. An
// engine reserves memory for them, so they have a bound: the model says it, or it is a default. A
// run whose data gives more fails.

#pragma once

#include "onnx/node_context.h"

namespace kiln::onnx {

// What ModelProto.metadata_props says under kLargestExtent, or the default. ImportError if it is no
// positive number.
int64_t largestExtentOf(ModelProto const& model);

// The elements of a vector of INT64, at most Dims::MAX_DIMS of them, as elements that may decide
// extents. What the network can compute from extents alone stays so. With `mayBeOpen`, one of them
// may be -1, as in the shape of Reshape.
nvinfer1::ITensor& extentsOfData(NodeContext& context, nvinfer1::ITensor& vector,
                                 bool mayBeOpen = false);

} // namespace kiln::onnx
