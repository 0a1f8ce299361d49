// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! An experimental feature; see IBuilderConfig::setPreviewFeature().
enum class PreviewFeature : int32_t {
    //! Several contexts may use one optimization profile concurrently. Always enabled; the value
    //! has no effect.
    kPROFILE_SHARING_0806 = 0,
    //! Enables IPluginV3OneBuildV2::getAliasedInput(): a plugin may write an output in place over
    //! an input. Off by default.
    kALIASED_PLUGIN_IO_10_03 = 1,
    //! An execution context sizes its activation memory for the current shapes, not for the maximum
    //! of the profile. Off by default; without effect in Kiln.
    kRUNTIME_ACTIVATION_RESIZE_10_10 = 2,
    kMULTIDEVICE_RUNTIME_10_16 = 3, //!< Networks may contain IDistCollectiveLayer. Off by default.
};

//! Number of values of PreviewFeature, for loops and tables.
template <>
constexpr int32_t EnumMax<PreviewFeature>() noexcept {
    return 4;
}

} // namespace nvinfer1
