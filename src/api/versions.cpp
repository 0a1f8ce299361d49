// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// C functions that return versions, and unsupported C functions.
#include <NvInferRuntime.h>

#include "api/reporter.h"

extern "C" {

int32_t getInferLibVersion() noexcept {
    return NV_TENSORRT_VERSION;
}

int32_t getInferLibMajorVersion() noexcept {
    return NV_TENSORRT_MAJOR;
}

int32_t getInferLibMinorVersion() noexcept {
    return NV_TENSORRT_MINOR;
}

int32_t getInferLibPatchVersion() noexcept {
    return NV_TENSORRT_PATCH;
}

int32_t getInferLibBuildVersion() noexcept {
    return 0;
}

void* createInferRefitter_INTERNAL(void*, void* logger, int32_t) noexcept {
    kiln::api::Reporter const reporter{kiln::Log(static_cast<nvinfer1::ILogger*>(logger))};
    reporter.refuse("refitter");
    return nullptr;
}

} // extern "C"
