// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Descriptions of tensors, passed to plugins.
#pragma once

#include "kiln/api/data_type.h"
#include "kiln/api/dims.h"
#include "kiln/api/tensor_format.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Shape, type and format of one input or output of a plugin.
struct PluginTensorDesc {
    Dims dims;           //!< Extents before packing; -1 if known only at run time.
    DataType type;       //!< Type of the elements.
    TensorFormat format; //!< Memory format.
    float scale;         //!< Scale of a kINT8 tensor, real value = stored value * scale; else 0.
};

//! A description with the range of shapes at run time: for an input from the optimization profile,
//! for an output derived from the inputs.
//!
//! At build time, desc.dims has -1 for dynamic extents, and min, opt and max have the extents of
//! the profile. At run time, all four are equal.
struct DynamicPluginTensorDesc {
    PluginTensorDesc desc; //!< Shape, type and format.
    Dims min;              //!< Smallest extents.
    Dims max;              //!< Largest extents.
    Dims opt;              //!< The extents that the engine is tuned for.
};

} // namespace nvinfer1

#pragma GCC visibility pop
