// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_LIBRARY_VERSION_H
#define KILN_API_LIBRARY_VERSION_H

#include "kiln/api/macros.h"
#include <cstdint>

#pragma GCC visibility push(default)

extern "C" TENSORRTAPI int32_t getInferLibVersion() noexcept;
extern "C" TENSORRTAPI int32_t getInferLibMajorVersion() noexcept;
extern "C" TENSORRTAPI int32_t getInferLibMinorVersion() noexcept;
extern "C" TENSORRTAPI int32_t getInferLibPatchVersion() noexcept;
extern "C" TENSORRTAPI int32_t getInferLibBuildVersion() noexcept;

#pragma GCC visibility pop

#endif // KILN_API_LIBRARY_VERSION_H
