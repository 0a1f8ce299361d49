// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Generation tags of the IPluginV2 family, in the upper byte of getTensorRTVersion(). Newer
// interfaces use IVersionedInterface instead.
#pragma once

#include "kiln/api/enum_max.h"
#include "kiln/api/version.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! The generation of a plugin object, an 8-bit tag. The values have gaps, so there is no EnumMax.
enum class PluginVersion : uint8_t {
    kV2 = 0x00,                   //!< IPluginV2
    kV2_EXT = 0x01,               //!< IPluginV2Ext
    kV2_IOEXT = 0x02,             //!< IPluginV2IOExt
    kV2_DYNAMICEXT = 0x03,        //!< IPluginV2DynamicExt
    kV2_DYNAMICEXT_PYTHON = 0x43, //!< IPluginV2DynamicExt, implemented in Python
};

//! The bit that PluginVersion and PluginCreatorVersion set for an implementation in Python.
constexpr int32_t kPLUGIN_VERSION_PYTHON_BIT = 0x40;

//! The generation of a creator of the IPluginV2 family.
enum class PluginCreatorVersion : int32_t {
    kV1 = 0x00,        //!< IPluginCreator
    kV1_PYTHON = 0x40, //!< IPluginCreator, implemented in Python
};

namespace impl {

//! The generation in the upper 8 bits, the version of these headers in the lower 24.
constexpr int32_t taggedVersion(PluginVersion generation) noexcept {
    return static_cast<int32_t>((static_cast<uint32_t>(generation) << 24U) |
                                (static_cast<uint32_t>(NV_TENSORRT_VERSION) & 0xFFFFFFU));
}

} // namespace impl

} // namespace nvinfer1

#pragma GCC visibility pop
