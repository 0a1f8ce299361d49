// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "target/kernel.h"
#include "targets/cuda/driver/driver.h"
#include "targets/cuda/driver/driver_types.h"

namespace kiln::targets::cuda {

class LoadedCode;

/// One launch of a built-in kernel at known shapes.
struct GridLaunch {
    std::string_view function; ///< a name with static storage: "slice_wide"
    int64_t gridX = 1;         ///< blocks; 0: nothing to do
    int64_t gridY = 1;
    int64_t gridZ = 1;
    int32_t block = 256;     ///< threads along x
    int32_t sharedBytes = 0; ///< beyond the arrays of the kernel
    /// May begin before the kernel in front of it has ended, for which it waits by itself
    /// (kernels/dependents.cuh).
    bool overlaps = false;
};

/// Enough blocks of `block` threads for one thread per item, at most 2^31 - 1 blocks; with more
/// items, kernels stride over the grid.
GridLaunch launchOver(std::string_view function, int64_t items, int32_t block = 256);

/// The same for blocks that process `itemsPerBlock` items each.
GridLaunch launchBlocks(std::string_view function, int64_t items, int64_t itemsPerBlock,
                        int32_t block = 256);

/// The address of an operand's pointer, in the form that cuLaunchKernel takes.
inline void* parameterAt(void const* const* operand) noexcept {
    return const_cast<void*>(static_cast<void const*>(operand));
}

/// The launches of one kernel in one context.
class KernelLaunch {
public:
    /// The parameter list, in this order.
    struct Parameters {
        std::size_t inputs = 0;
        std::size_t outputs = 0;
        bool workspace = false;
        int64_t* fault = nullptr; ///< null: the kernel has no fault word
        void* arguments = nullptr;
        int64_t* runs = nullptr; ///< null: the kernel does not count its runs
    };

    void set(LoadedCode const& code, std::vector<GridLaunch> const& launches);
    void describe(Parameters const& parameters);

    static int32_t run(void* state, target::KernelCall const& call,
                       target::StreamHandle stream) noexcept;
    std::string failureText() const;

private:
    struct Prepared {
        CUfunction function = nullptr;
        unsigned grid[3] = {};
        unsigned block = 0;
        unsigned sharedBytes = 0;
        bool overlaps = false;
    };

    CUresult start(Prepared const& launch, CUstream stream) noexcept;

    std::vector<Prepared> launches_;
    Driver const* driver_ = nullptr;
    Parameters parameters_;
    std::vector<void*> list_; ///< addresses of the parameters; each call sets those of operands
    CUresult failure_ = CUDA_SUCCESS;
};

} // namespace kiln::targets::cuda
