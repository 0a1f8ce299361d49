// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cupy_stream.h"
#include "frameworks.h"
#include "torch_stream.h"

namespace kiln::python {

/// While it exists, the engine's stream is the current stream of each imported framework. Triton
/// always launches on Torch's current stream. On cpu it does nothing. If the stream is current
/// already, as with torch.cuda.current_stream(), it only compares.
/// Needs the GIL. Throws what the framework raises.
class CurrentStreams {
public:
    /// `device`: number of the GPU; negative: the host.
    CurrentStreams(int32_t device, void* stream) {
        if (device < 0) {
            return;
        }
        Frameworks const& frameworks = Frameworks::imported();
        if (frameworks.torch != nullptr) {
            torch_.set(*frameworks.torch, device, stream);
        }
        if (frameworks.cupy != nullptr) {
            cupy_.set(*frameworks.cupy, device, stream);
        }
    }

private:
    TorchStream torch_;
    CupyStream cupy_;
};

} // namespace kiln::python
