// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "targets/cuda/module.h"

namespace kiln::targets::cuda {

/// The code of one built-in kernel, loaded on the current GPU. Nothing is loaded if plans are only
/// built (no GPU, or one of another architecture).
class LoadedCode {
public:
    /// `code` is the result of compileFor(). Equal code is loaded once per GPU.
    explicit LoadedCode(ByteView code);

    /// Number of modules in the process's table: in use, or released since the last load.
    static std::size_t known();

    /// Null without a GPU. Throws kUnsupported if the GPU has another architecture, kCorruptData if
    /// the code has no function of this name.
    CUfunction function(std::string_view name) const;

    /// Whether its kernels wait for what was launched before, see kernels/dependents.cuh: code for
    /// older GPUs, which PTX may be, does not.
    bool waitsForInputs() const noexcept { return architecture_.major >= 9; }

    /// See Module::allowShared(); does nothing without a GPU.
    void allowShared(CUfunction function, int64_t bytes) const;

private:
    std::shared_ptr<Module const> module_;
    GpuArchitecture architecture_; ///< that the code was compiled for
    std::string problem_;          ///< why the GPU cannot run the code
};

} // namespace kiln::targets::cuda
