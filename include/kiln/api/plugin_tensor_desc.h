// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a plugin is told about a tensor.
#pragma once

#include "kiln/api/data_type.h"
#include "kiln/api/dims.h"
#include "kiln/api/tensor_format.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Shape, type and format of one input or output of a plugin.
struct PluginTensorDesc {
    Dims dims;           //!< Extents before packing; -1 where not known before run time.
    DataType type;       //!< Type of the elements.
    TensorFormat format; //!< Their order in memory.
    float scale;         //!< Scale of a kINT8 tensor, real value = stored value * scale; else 0.
};

//! The same with the shapes that an input may take at run time, from the optimization profile, and
//! what follows from them for an output.
//!
//! While an engine is built, desc.dims has -1 where extents vary, and min, opt and max have the
//! profile's extents. Once the real shape is known all four are equal.
struct DynamicPluginTensorDesc {
    PluginTensorDesc desc; //!< Shape, type and format.
    Dims min;              //!< Smallest extents.
    Dims max;              //!< Largest extents.
    Dims opt;              //!< The extents that the engine is tuned for.
};

} // namespace nvinfer1

#pragma GCC visibility pop
