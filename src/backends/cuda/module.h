// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

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

private:
    CUmodule module_ = nullptr;
};

} // namespace kiln::backends::cuda
