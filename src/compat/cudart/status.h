// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The last error of a thread.
#pragma once

#include <cuda_runtime_api.h>

namespace kiln::cudart {

/// Stores an error for cudaGetLastError and returns its argument.
cudaError_t report(cudaError_t error) noexcept;

/// Returns work(). Converts exceptions to cudaErrorMemoryAllocation, because C programs cannot
/// catch them.
template <typename Work>
cudaError_t guarded(Work&& work) noexcept {
    try {
        return work();
    } catch (...) {
        return report(cudaErrorMemoryAllocation);
    }
}

} // namespace kiln::cudart
