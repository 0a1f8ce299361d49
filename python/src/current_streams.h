// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kiln/kiln.h>

#include "cupy_stream.h"
#include "torch_stream.h"

namespace kiln::python {

/// While it lives, the current stream of a framework, if imported, is the engine's. Torch's is also
/// the one that Triton launches on, which cannot be handed a stream. On cpu it does nothing. Where
/// the stream is current already, as with torch.cuda.current_stream(), it only compares: less than
/// 0.1 us. Needs the GIL. Throws what the framework raises.
class CurrentStreams {
public:
    explicit CurrentStreams(void* stream) : CurrentStreams(kiln::pluginRun().device, stream) {}

private:
    CurrentStreams(int32_t device, void* stream) : torch_(device, stream), cupy_(device, stream) {}

    TorchStream torch_;
    CupyStream cupy_;
};

} // namespace kiln::python
