// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The capabilities of an IPluginV3.
#pragma once

#include "kiln/api/versioned_interface.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! A capability of an IPluginV3.
enum class PluginCapabilityType : int32_t {
    kCORE = 0,    //!< IPluginV3OneCore: identity. Always required.
    kBUILD = 1,   //!< IPluginV3OneBuild or IPluginV3OneBuildV2. Required for builds.
    kRUNTIME = 2, //!< IPluginV3OneRuntime. Required for builds (timing, serialization) and runs.
};

template <>
constexpr int32_t EnumMax<PluginCapabilityType>() noexcept {
    return 3;
}

//! The purpose for which a plugin is created.
enum class TensorRTPhase : int32_t {
    kBUILD = 0,   //!< For a network, from attributes of a model or program.
    kRUNTIME = 1, //!< For an engine, from the serialized fields of the plugin.
};

template <>
constexpr int32_t EnumMax<TensorRTPhase>() noexcept {
    return 2;
}

namespace v_1_0 {

//! Base class of the capabilities of an IPluginV3. getInterfaceInfo() identifies the capability.
class IPluginCapability : public IVersionedInterface {};

} // namespace v_1_0

using IPluginCapability = v_1_0::IPluginCapability;

} // namespace nvinfer1

#pragma GCC visibility pop
