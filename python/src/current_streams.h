// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The current stream of Torch and CuPy while a Python plugin runs on a GPU.
#pragma once

#include <cstdint>

#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

/// While it lives, the current stream of a framework, if imported, is the engine's. Torch's is also
/// the one that Triton launches on, which cannot be handed a stream. On cpu it does nothing. Where
/// the stream is current already, as with torch.cuda.current_stream(), it only compares: about
/// 0.1 us. Needs the GIL. Throws what the framework raises.
class CurrentStreams {
public:
    explicit CurrentStreams(void* stream);

private:
    class TorchStream {
    public:
        TorchStream(int32_t device, void* stream);
        ~TorchStream();
        TorchStream(TorchStream const&) = delete;
        TorchStream& operator=(TorchStream const&) = delete;

    private:
        PyObject* before_ = nullptr; // what to put back; null: nothing was changed
    };

    class CupyStream {
    public:
        CupyStream(int32_t device, void* stream);
        ~CupyStream();
        CupyStream(CupyStream const&) = delete;
        CupyStream& operator=(CupyStream const&) = delete;

    private:
        PyObject* before_ = nullptr;
        void* pointer_ = nullptr;  // of that
        PyObject* exit_ = nullptr; // of the stream that is current meanwhile
    };

    CurrentStreams(int32_t device, void* stream) : torch_(device, stream), cupy_(device, stream) {}

    TorchStream torch_;
    CupyStream cupy_;
};

} // namespace kiln::python
