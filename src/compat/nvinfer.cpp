// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Pointers to classes are passed on unchanged, so their types are not needed here.
#include <cstdint>

#include "compat/forward.h"

KILN_FORWARD(void*, createInferBuilder_INTERNAL, (void* logger, int32_t version), (logger, version))
KILN_FORWARD(void*, createInferRefitter_INTERNAL, (void* engine, void* logger, int32_t version),
             (engine, logger, version))
KILN_FORWARD(void*, createInferRuntime_INTERNAL, (void* logger, int32_t version), (logger, version))
KILN_FORWARD(void*, getBuilderPluginRegistry, (int32_t capability), (capability))
KILN_FORWARD(void*, getBuilderSafePluginRegistry, (int32_t capability), (capability))
KILN_FORWARD(int32_t, getInferLibBuildVersion, (), ())
KILN_FORWARD(int32_t, getInferLibMajorVersion, (), ())
KILN_FORWARD(int32_t, getInferLibMinorVersion, (), ())
KILN_FORWARD(int32_t, getInferLibPatchVersion, (), ())
KILN_FORWARD(int32_t, getInferLibVersion, (), ())
KILN_FORWARD(void*, getLogger, (), ())
KILN_FORWARD(void*, getPluginRegistry, (), ())
KILN_FORWARD(bool, setInternalLibraryPath, (char const* path), (path))
