// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "backends/cuda/driver/driver_types.h"
#include "base/bytes.h"

namespace kiln::backends::cuda {

/// Code on the GPU; unloaded when it goes.
class Module {
public:
    /// A cubin, or PTX text. The bytes may go afterwards. Throws kUnsupported with the driver's
    /// words and, for PTX, its compiler's log.
    explicit Module(ByteView image);
    ~Module();
    Module(Module const&) = delete;
    Module& operator=(Module const&) = delete;

    /// Throws kCorruptData for a name that the code lacks.
    CUfunction function(std::string const& name) const;

    /// Lets launches of one of its functions have so many bytes of dynamic shared memory. Contexts
    /// share functions, and the driver keeps one limit for each: it is raised, never lowered.
    void allowShared(CUfunction function, int64_t bytes) const;

private:
    CUmodule module_ = nullptr;
    mutable std::mutex mutex_;
    mutable std::map<CUfunction, int64_t> allowedShared_; ///< where more than the driver's default
};

} // namespace kiln::backends::cuda
