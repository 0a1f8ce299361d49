// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cupy_stream.h"
#include "frameworks.h"
#include "torch_stream.h"

namespace kiln::python {

/// While it lives, the current stream of a framework, if imported, is the engine's. Torch's is also
/// the one that Triton launches on, which cannot be handed a stream. On cpu it does nothing. Where
/// the stream is current already, as with torch.cuda.current_stream(), it only compares.
/// Needs the GIL. Throws what the framework raises.
class CurrentStreams {
public:
    /// `device`: its number; below zero: the host.
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
