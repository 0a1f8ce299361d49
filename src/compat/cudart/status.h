// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The last error of a thread, which every function leaves behind.
#pragma once

#include <cuda_runtime_api.h>

namespace kiln::cudart {

/// Keeps an error for cudaGetLastError, and returns what it was given.
cudaError_t report(cudaError_t error) noexcept;

/// work(), or cudaErrorMemoryAllocation where there is no memory for it: C programs catch nothing.
template <typename Work>
cudaError_t guarded(Work&& work) noexcept {
    try {
        return work();
    } catch (...) {
        return report(cudaErrorMemoryAllocation);
    }
}

} // namespace kiln::cudart
