// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

/// The bytes of an argument that has the buffer protocol: bytes, bytearray, memoryview, NumPy
/// arrays of any element type, IHostMemory. Memory that is not contiguous is copied, in the order
/// of its elements. The buffer stays locked while this object exists.
class ByteView {
public:
    explicit ByteView(py::buffer const& source) {
        if (PyObject_GetBuffer(source.ptr(), &view_, PyBUF_SIMPLE) != 0) {
            PyErr_Clear(); // strided, or not in C order
            py::object const copy = py::memoryview(source).attr("tobytes")();
            if (PyObject_GetBuffer(copy.ptr(), &view_, PyBUF_SIMPLE) != 0) {
                throw py::error_already_set();
            }
        }
    }
    ~ByteView() { PyBuffer_Release(&view_); }
    ByteView(ByteView const&) = delete;
    ByteView& operator=(ByteView const&) = delete;

    void const* data() const { return view_.buf; }
    std::size_t size() const { return static_cast<std::size_t>(view_.len); }

private:
    Py_buffer view_{};
};

} // namespace kiln::python
