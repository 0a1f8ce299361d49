// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_PLUGIN_VERSIONS_H
#define KILN_API_PLUGIN_VERSIONS_H

#include "kiln/api/version.h"
#include "kiln/api/enum_max.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

enum class PluginVersion : uint8_t
{
    kV2 = 0x00,
    kV2_EXT = 0x01,
    kV2_IOEXT = 0x02,
    kV2_DYNAMICEXT = 0x03,
    kV2_DYNAMICEXT_PYTHON = 0x43,
};

constexpr int32_t kPLUGIN_VERSION_PYTHON_BIT = 0x40;

enum class PluginCreatorVersion : int32_t
{
    kV1 = 0x00,
    kV1_PYTHON = 0x40,
};

namespace impl
{
constexpr int32_t taggedVersion(PluginVersion kind) noexcept
{
    return static_cast<int32_t>((static_cast<uint32_t>(kind) << 24U)
        | (static_cast<uint32_t>(NV_TENSORRT_VERSION) & 0xFFFFFFU));
}
} // namespace impl

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_PLUGIN_VERSIONS_H
