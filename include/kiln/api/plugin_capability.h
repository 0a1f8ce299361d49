// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The parts that a V3 plugin is made of.
#pragma once

#include "kiln/api/versioned_interface.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! A part of an IPluginV3.
enum class PluginCapabilityType : int32_t {
    kCORE = 0,    //!< IPluginV3OneCore: who it is. Always needed.
    kBUILD = 1,   //!< IPluginV3OneBuild or IPluginV3OneBuildV2. Needed to build.
    kRUNTIME = 2, //!< IPluginV3OneRuntime. Needed to build (for timing and saving) and to run.
};

template <>
constexpr int32_t EnumMax<PluginCapabilityType>() noexcept {
    return 3;
}

//! What a plugin is made for.
enum class TensorRTPhase : int32_t {
    kBUILD = 0,   //!< For a network, from the attributes of a model or program.
    kRUNTIME = 1, //!< For an engine, from the fields that the plugin was saved as.
};

template <>
constexpr int32_t EnumMax<TensorRTPhase>() noexcept {
    return 2;
}

namespace v_1_0 {

//! The base of the parts of an IPluginV3. Kiln tells the parts apart by getInterfaceInfo().
class IPluginCapability : public IVersionedInterface {};

} // namespace v_1_0

using IPluginCapability = v_1_0::IPluginCapability;

} // namespace nvinfer1

#pragma GCC visibility pop
