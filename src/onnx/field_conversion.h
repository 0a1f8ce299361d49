// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Converts one attribute to the elements of a PluginField of a given type.
#pragma once

#include "kiln/api/data_type.h"
#include "kiln/api/plugin_field.h"
#include "onnx/proto/messages.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace kiln::onnx {

struct FieldData {
    std::vector<std::byte> bytes; // never empty, so that data() is never null
    nvinfer1::PluginFieldType type;
    int32_t length; // in elements; of a string without the terminating zero
};

// type kUNKNOWN: the natural type of the attribute. Throws ImportError if a value does not fit. Not
// for attributes of type TENSOR.
FieldData convertAttribute(AttributeProto const& attribute, nvinfer1::PluginFieldType type);

// The field type of tensor elements; ImportError, naming the attribute, if there is none.
nvinfer1::PluginFieldType fieldTypeOf(nvinfer1::DataType type, std::string_view attributeName);

// A number of elements as a field length; ImportError if it is too large.
int32_t checkedLength(int64_t count, std::string_view attributeName);

std::string_view nameOf(nvinfer1::PluginFieldType type);

} // namespace kiln::onnx
