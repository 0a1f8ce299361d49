// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "base/bytes.h"
#include "targets/cuda/gpu.h"

namespace kiln::targets::cuda {

/// RAII owner of code loaded on the GPU.
class Module {
public:
    /// `image` is a cubin or PTX text; it may be freed afterwards. By default, it is loaded on the
    /// current GPU. Throws kUnsupported with the
    /// driver's text and, for PTX, its compiler's log.
    explicit Module(ByteView image, Gpu const& gpu = Gpu::current());
    ~Module();
    Module(Module const&) = delete;
    Module& operator=(Module const&) = delete;

    Gpu const& gpu() const noexcept { return gpu_; }
    /// Throws kCorruptData if the code has no function of this name.
    CUfunction function(std::string const& name) const;

    /// Allows launches of a function to use `bytes` bytes of dynamic shared memory. By default it
    /// is what the kernel's own, static memory leaves of 48 KiB. Contexts share functions, and the
    /// driver keeps one limit per function: the limit is only ever raised.
    void allowShared(CUfunction function, int64_t bytes) const;

private:
    Gpu const& gpu_;
    CUmodule module_ = nullptr;
    mutable std::mutex mutex_;
    mutable std::map<CUfunction, int64_t> allowedShared_; ///< of those that asked
};

} // namespace kiln::targets::cuda
