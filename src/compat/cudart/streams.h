// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

namespace kiln::cudart {

/// Whether the stream is valid: alive, or one that needs no creation.
bool isStream(cudaStream_t stream) noexcept;

/// cudaSuccess, or cudaErrorInvalidResourceHandle.
inline cudaError_t checkStream(cudaStream_t stream) noexcept {
    return isStream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

} // namespace kiln::cudart
