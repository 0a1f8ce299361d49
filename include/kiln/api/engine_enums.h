// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Enums that describe an engine: capability, verbosity, tactic sources, memory.
#pragma once

#include "kiln/api/enum_max.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Restrictions that an engine is built under.
enum class EngineCapability : int32_t {
    kSTANDARD = 0,       //!< No restriction. Kiln supports only this one.
    kSAFETY = 1,         //!< For a certified runtime. Kiln has none and refuses to build it.
    kDLA_STANDALONE = 2, //!< For a DLA alone. Kiln has no DLA support and refuses to build it.
};

template <>
constexpr int32_t EnumMax<EngineCapability>() noexcept {
    return 3;
}

//! How much information about layers an engine holds for inspectors and profilers.
enum class ProfilingVerbosity : int32_t {
    kLAYER_NAMES_ONLY = 0, //!< The names of the layers. The default.
    kNONE = 1,             //!< Nothing; layers are identified by their number.
    kDETAILED = 2,         //!< Names, types, formats, shapes, chosen kernels and tactics.
};

template <>
constexpr int32_t EnumMax<ProfilingVerbosity>() noexcept {
    return 3;
}

//! Libraries and code generators that supply kernels. Numbered as in 10.x.
enum class TacticSource : int32_t {
    kCUBLAS = 0,                 //!< cuBLAS. Superseded; ignored.
    kCUBLAS_LT = 1,              //!< cuBLASLt. Superseded; ignored.
    kCUDNN = 2,                  //!< cuDNN. Superseded; ignored.
    kEDGE_MASK_CONVOLUTIONS = 3, //!< Convolutions with mask tables: faster, more engine memory.
    kJIT_CONVOLUTIONS = 4,       //!< Convolutions compiled for the problem at hand.
};

template <>
constexpr int32_t EnumMax<TacticSource>() noexcept {
    return 5;
}

//! Bit mask of TacticSource: bit `1U << i` is the source with value i.
using TacticSources = uint32_t;

//! The kind of device that a layer runs on.
enum class DeviceType : int32_t {
    kGPU = 0, //!< The target's own device; on the cpu target that is the CPU.
    kDLA = 1, //!< A DLA, which Kiln does not support; refused by name.
};

template <>
constexpr int32_t EnumMax<DeviceType>() noexcept {
    return 2;
}

//! Statistics for ICudaEngine::getEngineStat(), in bytes.
enum class EngineStat : int32_t {
    kTOTAL_WEIGHTS_SIZE = 0,    //!< All weights of the engine.
    kSTRIPPED_WEIGHTS_SIZE = 1, //!< The weights that a stripped plan omits.
};

template <>
constexpr int32_t EnumMax<EngineStat>() noexcept {
    return 2;
}

//! Output format of IEngineInspector.
enum class LayerInformationFormat : int32_t {
    kONELINE = 0, //!< One line of text for each layer.
    kJSON = 1,    //!< JSON.
};

template <>
constexpr int32_t EnumMax<LayerInformationFormat>() noexcept {
    return 2;
}

//! When an execution context allocates the memory for its intermediate tensors.
enum class ExecutionContextAllocationStrategy : int32_t {
    kSTATIC = 0,            //!< At creation, enough for every profile. The default.
    kON_PROFILE_CHANGE = 1, //!< When a profile is selected, enough for this one.
    kUSER_MANAGED = 2,      //!< Never: the user provides it with setDeviceMemoryV2().
};

template <>
constexpr int32_t EnumMax<ExecutionContextAllocationStrategy>() noexcept {
    return 3;
}

} // namespace nvinfer1

#pragma GCC visibility pop
