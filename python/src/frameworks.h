// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The imported frameworks that have a current stream.
#pragma once

#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

struct TorchFunctions;
struct CupyFunctions;

/// The functions of each framework; null while it is not imported, and if it was built without
/// CUDA. Never freed, because threads may outlive the interpreter.
struct Frameworks {
    TorchFunctions const* torch = nullptr;
    CupyFunctions const* cupy = nullptr;

    /// The frameworks that are imported now. Needs the GIL.
    static Frameworks const& imported() {
        // An import makes sys.modules longer, so most calls only compare its length.
        if (found.modules_ == nullptr || PyDict_GET_SIZE(found.modules_) != found.lookedAmong_)
            [[unlikely]] {
            found.look();
        }
        return found;
    }

private:
    [[gnu::cold]] void look();

    static Frameworks found;
    PyObject* modules_ = nullptr; // sys.modules
    Py_ssize_t lookedAmong_ = -1; // its length in look(); -1: an import was in progress
};

/// Null if the framework was built without CUDA.
TorchFunctions const* functionsOfTorch(py::object const& module);
CupyFunctions const* functionsOfCupy(py::object const& module);

/// Maps both handles of the legacy default stream, 0 and cudaStreamLegacy, to 0.
inline void* plain(void* stream) {
    return stream == reinterpret_cast<void*>(1) ? nullptr : stream;
}

inline void* pointerFrom(py::object const& number) {
    return plain(PyLong_AsVoidPtr(number.ptr()));
}

/// Releases the result of a call that restores a stream; its exception can fail no caller.
void drop(PyObject* result, PyObject* function);

constexpr std::size_t kMostStreams = 64; // above it, the caches of streams are cleared

} // namespace kiln::python
