// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_ENGINE_ENUMS_H
#define KILN_API_ENGINE_ENUMS_H

#include "kiln/api/enum_max.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

enum class EngineCapability : int32_t
{
    kSTANDARD = 0,
    kSAFETY = 1,
    kDLA_STANDALONE = 2,
};

namespace impl
{
template <>
struct EnumMaxImpl<EngineCapability>
{
    static constexpr int32_t kVALUE{3};
};
} // namespace impl

enum class ProfilingVerbosity : int32_t
{
    kLAYER_NAMES_ONLY = 0,
    kNONE = 1,
    kDETAILED = 2,
};

namespace impl
{
template <>
struct EnumMaxImpl<ProfilingVerbosity>
{
    static constexpr int32_t kVALUE{3};
};
} // namespace impl

enum class TacticSource : int32_t
{
    kCUBLAS = 0,
    kCUBLAS_LT = 1,
    kCUDNN = 2,
    kEDGE_MASK_CONVOLUTIONS = 3,
    kJIT_CONVOLUTIONS = 4,
};

namespace impl
{
template <>
struct EnumMaxImpl<TacticSource>
{
    static constexpr int32_t kVALUE{5};
};
} // namespace impl

using TacticSources = uint32_t;

enum class DeviceType : int32_t
{
    kGPU = 0,
    kDLA = 1,
};

namespace impl
{
template <>
struct EnumMaxImpl<DeviceType>
{
    static constexpr int32_t kVALUE{2};
};
} // namespace impl

enum class EngineStat : int32_t
{
    kTOTAL_WEIGHTS_SIZE = 0,
    kSTRIPPED_WEIGHTS_SIZE = 1,
};

namespace impl
{
template <>
struct EnumMaxImpl<EngineStat>
{
    static constexpr int32_t kVALUE{2};
};
} // namespace impl

enum class LayerInformationFormat : int32_t
{
    kONELINE = 0,
    kJSON = 1,
};

namespace impl
{
template <>
struct EnumMaxImpl<LayerInformationFormat>
{
    static constexpr int32_t kVALUE{2};
};
} // namespace impl

enum class ExecutionContextAllocationStrategy : int32_t
{
    kSTATIC = 0,
    kON_PROFILE_CHANGE = 1,
    kUSER_MANAGED = 2,
};

namespace impl
{
template <>
struct EnumMaxImpl<ExecutionContextAllocationStrategy>
{
    static constexpr int32_t kVALUE{3};
};
} // namespace impl

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_ENGINE_ENUMS_H
