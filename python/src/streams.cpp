// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Streams that users implement in Python, to read and write plans.
#include <algorithm>
#include <cstring>

#include "bindings.h"
#include "failure.h"
#include "native_object.h"
#include "user_callback.h"

namespace kiln::python {
namespace {

using namespace nvinfer1;

/// Copies the result of a reader. A result longer than `size` is an error of the reader.
template <typename Base, typename... Args>
int64_t readInto(Base const* self, void* destination, int64_t size, Args... more) noexcept {
    Gil const gil;
    if (!gil) {
        return -1;
    }
    auto const data = callUser<py::object>(self, "read", py::none(), size, more...);
    Py_buffer view{};
    if (data.is_none() || PyObject_GetBuffer(data.ptr(), &view, PyBUF_SIMPLE) != 0) {
        if (PyErr_Occurred() != nullptr) { // not a buffer, or not contiguous
            reportUnraisable("read");
        }
        return -1;
    }
    auto const length = static_cast<int64_t>(view.len);
    if (length <= size) {
        std::memcpy(destination, view.buf, static_cast<std::size_t>(length));
    }
    PyBuffer_Release(&view);
    return length; // the caller refuses too many bytes, and reports the number
}

class PythonReader final : public IStreamReader {
public:
    int64_t read(void* destination, int64_t size) override {
        return readInto(static_cast<IStreamReader const*>(this), destination, size);
    }
};

class PythonReaderV2 final : public IStreamReaderV2 {
public:
    int64_t read(void* destination, int64_t size, cudaStream_t stream) noexcept override {
        return readInto(base(), destination, size, toAddress(stream));
    }
    bool seek(int64_t offset, SeekPosition where) noexcept override {
        return callUser(base(), "seek", false, offset, where);
    }

private:
    IStreamReaderV2 const* base() const noexcept { return this; }
};

class PythonWriter final : public IStreamWriter {
public:
    int64_t write(void const* data, int64_t size) override {
        Gil const gil;
        if (!gil) {
            return -1;
        }
        return callUser<int64_t>(
            static_cast<IStreamWriter const*>(this), "write", -1,
            py::bytes(static_cast<char const*>(data), static_cast<std::size_t>(size)));
    }
};

} // namespace

void initStreams(py::module_& m) {
    py::class_<IStreamReader, PythonReader>(
        m, "IStreamReader", "Reads a plan. Derive from this class and define read(size) -> bytes.")
        .def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def("read", &IStreamReader::read, "destination"_a, "size"_a,
             "Callback, as read(size) -> bytes. This method reads ``size`` bytes to a capsule's "
             "address; returns the number of bytes read, -1 on failure.");
    py::class_<IStreamReaderV2, PythonReaderV2>(
        m, "IStreamReaderV2",
        "Reads a plan. Derive from this class and define read(num_bytes, stream) -> bytes and "
        "seek(offset, where) -> bool.")
        .def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def(
            "read",
            [](IStreamReaderV2& self, void* destination, int64_t size, std::uintptr_t stream) {
                return self.read(destination, size, static_cast<cudaStream_t>(toPointer(stream)));
            },
            "destination"_a, "num_bytes"_a, "stream"_a,
            "Callback, as read(num_bytes, stream) -> bytes. This method reads to a capsule's "
            "address; returns the number of bytes read, -1 on failure.")
        .def("seek", &IStreamReaderV2::seek, "offset"_a, "where"_a,
             "Callback: moves to an offset from a SeekPosition; returns success.");
    py::class_<IStreamWriter, PythonWriter>(
        m, "IStreamWriter", "Writes a plan. Derive from this class and define write(data) -> int.")
        .def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def("write", &IStreamWriter::write, "data"_a, "size"_a,
             "Callback, as write(data) -> int. This method writes ``size`` bytes from a capsule's "
             "address; returns the number of bytes written, -1 on failure.");
}

} // namespace kiln::python
