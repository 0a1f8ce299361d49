// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_PLUGIN_CAPABILITY_H
#define KILN_API_PLUGIN_CAPABILITY_H

#include "kiln/api/versioned_interface.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

enum class PluginCapabilityType : int32_t
{
    kCORE = 0,
    kBUILD = 1,
    kRUNTIME = 2,
};

template <>
constexpr int32_t EnumMax<PluginCapabilityType>() noexcept {
    return 3;
}

enum class TensorRTPhase : int32_t
{
    kBUILD = 0,
    kRUNTIME = 1,
};

template <>
constexpr int32_t EnumMax<TensorRTPhase>() noexcept {
    return 2;
}

namespace v_1_0
{
class IPluginCapability : public IVersionedInterface
{
public:

};
} // namespace v_1_0

using IPluginCapability = v_1_0::IPluginCapability;

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_PLUGIN_CAPABILITY_H
