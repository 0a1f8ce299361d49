// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// C functions that return versions.
#include <NvInferRuntime.h>

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

} // extern "C"
