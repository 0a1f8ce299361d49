// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The version of the API that the loaded library implements. Compare with the macros of version.h
// to notice a program that runs with another library than it was built for.
#pragma once

#include "kiln/api/macros.h"

#include <cstdint>

//! The version as one number, as NV_TENSORRT_VERSION_INT() makes it.
extern "C" TENSORRTAPI int32_t getInferLibVersion() noexcept;

//! The parts of the version: NV_TENSORRT_MAJOR, _MINOR, _PATCH and _BUILD of the library.
extern "C" TENSORRTAPI int32_t getInferLibMajorVersion() noexcept;
extern "C" TENSORRTAPI int32_t getInferLibMinorVersion() noexcept;
extern "C" TENSORRTAPI int32_t getInferLibPatchVersion() noexcept;
extern "C" TENSORRTAPI int32_t getInferLibBuildVersion() noexcept;
