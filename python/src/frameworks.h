// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The frameworks that keep a current stream, where something has imported them.
#pragma once

#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

struct TorchFunctions;
struct CupyFunctions;

/// What can be called of each; null while it is not imported, and if it was built without CUDA.
/// Never freed: threads may outlive the interpreter.
struct Frameworks {
    TorchFunctions const* torch = nullptr;
    CupyFunctions const* cupy = nullptr;

    /// Those that are imported by now. Needs the GIL.
    static Frameworks const& imported() {
        // An import makes the table longer: a look at its length is all that most calls pay.
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
    Py_ssize_t lookedAmong_ = -1; // its length then; -1: an import was under way
};

/// Null if it was built without CUDA.
TorchFunctions const* functionsOfTorch(py::object const& module);
CupyFunctions const* functionsOfCupy(py::object const& module);

/// The legacy default stream has two names, 0 and cudaStreamLegacy.
inline void* plain(void* stream) {
    return stream == reinterpret_cast<void*>(1) ? nullptr : stream;
}

inline void* pointerFrom(py::object const& number) {
    return plain(PyLong_AsVoidPtr(number.ptr()));
}

/// After a call that ends a change: there is nobody left to fail.
void drop(PyObject* result, PyObject* function);

constexpr std::size_t kMostStreams = 64; // programs make streams anew; then caches begin anew, too

} // namespace kiln::python
