// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The version of the API that the loaded library implements. A difference from the macros of
// version.h means that the program runs with another library than it was built for.
#pragma once

#include "kiln/api/macros.h"

#include <cstdint>

//! The version as one number, in the format of NV_TENSORRT_VERSION_INT().
extern "C" TENSORRTAPI int32_t getInferLibVersion() noexcept;

//! The parts of the version: NV_TENSORRT_MAJOR, _MINOR and _PATCH of the library; the build number
//! is always 0.
extern "C" TENSORRTAPI int32_t getInferLibMajorVersion() noexcept;
extern "C" TENSORRTAPI int32_t getInferLibMinorVersion() noexcept;
extern "C" TENSORRTAPI int32_t getInferLibPatchVersion() noexcept;
extern "C" TENSORRTAPI int32_t getInferLibBuildVersion() noexcept;
