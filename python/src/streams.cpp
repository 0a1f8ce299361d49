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

/// Copies what a reader returned; more than was asked for is an error of the reader.
template <typename Base, typename... Args>
int64_t readInto(Base const* self, void* destination, int64_t size, Args... more) noexcept {
    Gil const gil;
    if (!gil) {
        return -1;
    }
    auto const data = callUser<py::object>(self, "read", py::none(), size, more...);
    if (!PyObject_CheckBuffer(data.ptr())) {
        return -1;
    }
    auto const bytes = py::bytes(data);
    auto const length = static_cast<int64_t>(PyBytes_GET_SIZE(bytes.ptr()));
    if (length > size) {
        return -1;
    }
    // The stream may be on a device later; on the cpu target the destination is host memory.
    std::memcpy(destination, PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(length));
    return length;
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
        m, "IStreamReader", "Where a plan is read from. Derive and define read(size) -> bytes.")
        .def(py::init<>(), "To be called by the __init__ of the derived class.");
    py::class_<IStreamReaderV2, PythonReaderV2>(
        m, "IStreamReaderV2",
        "Where a plan is read from. Derive and define read(num_bytes, stream) -> bytes and "
        "seek(offset, where) -> bool.")
        .def(py::init<>(), "To be called by the __init__ of the derived class.");
    py::class_<IStreamWriter, PythonWriter>(
        m, "IStreamWriter", "Where a plan is written to. Derive and define write(data) -> int.")
        .def(py::init<>(), "To be called by the __init__ of the derived class.");
}

} // namespace kiln::python
