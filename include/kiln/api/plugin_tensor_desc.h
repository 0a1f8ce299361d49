// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_PLUGIN_TENSOR_DESC_H
#define KILN_API_PLUGIN_TENSOR_DESC_H

#include "kiln/api/data_type.h"
#include "kiln/api/dims.h"
#include "kiln/api/tensor_format.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

struct PluginTensorDesc
{
    Dims dims;
    DataType type;
    TensorFormat format;
    float scale;
};

struct DynamicPluginTensorDesc
{
    PluginTensorDesc desc;
    Dims min;
    Dims max;
    Dims opt;
};

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_PLUGIN_TENSOR_DESC_H
