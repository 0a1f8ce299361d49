// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Changes of shape that importers share. Constants are reshaped in place; tensors go through a
// shuffle layer. Unknown extents are kept wherever a shuffle can express it.
#pragma once

#include "onnx/file_numbers.h"
#include "onnx/node_context.h"

#include <cstdint>
#include <vector>

namespace kiln::onnx {

// A tensor with exactly these dimensions; -1, once, follows from the number of elements.
nvinfer1::ITensor& reshape(NodeContext& context, nvinfer1::ITensor& tensor,
                           nvinfer1::Dims const& dims, bool zeroIsPlaceholder,
                           std::string_view suffix = "");

// Extents of 1 inserted so that they stand at `axes` (sorted) of the result.
Value insertAxes(NodeContext& context, Value const& value, std::vector<int32_t> const& axes,
                 std::string_view suffix = "");

// The axes `axes` (sorted), of extent 1, removed.
Value removeAxes(NodeContext& context, Value const& value, std::vector<int32_t> const& axes,
                 std::string_view suffix = "");

// A tensor of the given rank: input `index` with extents of 1 put in front.
nvinfer1::ITensor& withRank(NodeContext& context, size_t index, int32_t rank);

// The same for a tensor; `suffix` names the layer.
nvinfer1::ITensor& withRank(NodeContext& context, nvinfer1::ITensor& tensor, int32_t rank,
                            std::string_view suffix);

} // namespace kiln::onnx
