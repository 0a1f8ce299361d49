// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// ONNX element types and the corresponding types of a network.
#pragma once

#include "kiln/api/data_type.h"
#include "onnx/proto/messages.h"

#include <optional>
#include <string_view>

namespace kiln::onnx {

// "FLOAT", "INT64", ...; "unknown" for a number that ONNX does not define.
std::string_view nameOf(ElementType type);

// The network type that holds the same values, for DOUBLE nearly the same; nullopt if there is
// none. UINT64 fits where its numbers do.
std::optional<nvinfer1::DataType> dataTypeOf(ElementType type);

// As dataTypeOf(), but throws an ImportError that names `what` if there is none.
nvinfer1::DataType requireDataType(ElementType type, std::string_view what);

// The type of ONNX that a network has under another name.
ElementType elementTypeOf(nvinfer1::DataType type);

// Whether a network takes elements of the type as another one: DOUBLE as FLOAT, UINT16 as INT32.
bool isReplaced(ElementType type);

// Size of one element in a model's bytes, in bits; 0 for a type without such.
int32_t bitsOf(ElementType type);

// Size of one element in bits.
int32_t bitsOf(nvinfer1::DataType type);

} // namespace kiln::onnx
