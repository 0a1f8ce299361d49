// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Shape changes that importers share. Constants are reshaped in place; tensors go through a shuffle
// layer. Unknown extents are kept if a shuffle layer can express that.
#pragma once

#include "onnx/checked_numbers.h"
#include "onnx/node_context.h"

#include <cstdint>
#include <vector>

namespace kiln::onnx {

// A tensor with exactly these dimensions; one -1 is computed from the number of elements.
nvinfer1::ITensor& reshape(NodeContext& context, nvinfer1::ITensor& tensor,
                           nvinfer1::Dims const& dims, bool zeroIsPlaceholder,
                           std::string_view suffix = "");

// Inserts extents of 1 at the positions `axes` (sorted) of the result.
Value insertAxes(NodeContext& context, Value const& value, std::vector<int32_t> const& axes,
                 std::string_view suffix = "");

// Removes the axes `axes` (sorted), which have extent 1.
Value removeAxes(NodeContext& context, Value const& value, std::vector<int32_t> const& axes,
                 std::string_view suffix = "");

// Input `index` as a tensor of the given rank, with leading extents of 1.
nvinfer1::ITensor& withRank(NodeContext& context, size_t index, int32_t rank);

// The same for a tensor; `suffix` names the layer.
nvinfer1::ITensor& withRank(NodeContext& context, nvinfer1::ITensor& tensor, int32_t rank,
                            std::string_view suffix);

} // namespace kiln::onnx
