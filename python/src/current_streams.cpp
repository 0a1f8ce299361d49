// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "current_streams.h"

#include <memory>
#include <unordered_map>

#include <kiln/kiln.h>

#include "native_object.h"
#include "plugin_support.h"

namespace kiln::python {
namespace {

/// What a framework wants to be given to make a stream current, by the stream.
using Streams = std::unordered_map<void*, py::object>;
constexpr std::size_t kMostStreams = 64; // programs make streams anew; then this begins anew, too

/// A module that something else has imported, completely; null if nothing has.
py::object imported(PyObject* name) {
    auto module = py::reinterpret_steal<py::object>(PyImport_GetModule(name));
    if (!module || module.is_none()) {
        PyErr_Clear();
        return {};
    }
    py::object const spec = py::getattr(module, "__spec__", py::none());
    bool const busy = py::bool_(py::getattr(spec, "_initializing", py::bool_(false)));
    return busy ? py::object() : module;
}

/// The functions of one framework, looked up when it has been imported. Never freed: threads may
/// outlive the interpreter.
template <typename Functions>
Functions const* functionsOf(char const* name) {
    static PyObject* const interned = PyUnicode_InternFromString(name);
    static Functions* found = nullptr;
    static bool without = false; // it is there, but was built without CUDA
    if (found != nullptr || without) [[likely]] {
        return found;
    }
    if (py::object const module = imported(interned)) {
        auto functions = std::make_unique<Functions>(module);
        without = !functions->complete();
        found = without ? nullptr : functions.release();
    }
    return found;
}

PyObject* owned(py::object object) {
    return object.release().ptr();
}

struct Torch {
    // These take and give numbers: three for a stream, as setCurrent takes them.
    py::object rawCurrent, current, setCurrent;
    py::object external, standard; // torch.cuda.ExternalStream, torch.cuda.default_stream
    mutable Streams numbers;

    explicit Torch(py::object const& torch) {
        py::object const native = py::getattr(torch, "_C", py::none());
        if (py::hasattr(native, "_cuda_getCurrentRawStream")) {
            rawCurrent = native.attr("_cuda_getCurrentRawStream");
            current = native.attr("_cuda_getCurrentStream");
            setCurrent = native.attr("_cuda_setStream");
            external = torch.attr("cuda").attr("ExternalStream");
            standard = torch.attr("cuda").attr("default_stream");
        }
    }
    bool complete() const { return static_cast<bool>(setCurrent); }

    py::object const& numbersOf(int32_t device, void* stream) const {
        if (numbers.size() > kMostStreams) {
            numbers.clear();
        }
        py::object& known = numbers[stream];
        if (!known) {
            py::object const object = stream == nullptr
                                          ? standard(device)
                                          : external(toAddress(stream), py::arg("device") = device);
            known = py::make_tuple(object.attr("stream_id"), object.attr("device_index"),
                                   object.attr("device_type"));
        }
        return known;
    }
};

struct Cupy {
    py::object current;  // cupy.cuda.get_current_stream
    py::object external; // cupy.cuda.ExternalStream
    PyObject* pointer = PyUnicode_InternFromString("ptr");
    mutable Streams streams;

    explicit Cupy(py::object const& cupy) {
        py::object const cuda = py::getattr(cupy, "cuda", py::none());
        if (py::hasattr(cuda, "ExternalStream")) {
            current = cuda.attr("get_current_stream");
            external = cuda.attr("ExternalStream");
        }
    }
    bool complete() const { return static_cast<bool>(external); }

    py::object const& streamOf(int32_t device, void* stream) const {
        if (streams.size() > kMostStreams) {
            streams.clear();
        }
        py::object& known = streams[stream];
        if (!known) {
            known = external(toAddress(stream), device);
        }
        return known;
    }
};

/// The legacy default stream has two names, 0 and cudaStreamLegacy.
void* plain(void* stream) {
    return toAddress(stream) == 1 ? nullptr : stream;
}

void* pointerFrom(py::object const& number) {
    return plain(PyLong_AsVoidPtr(number.ptr()));
}

/// Calls one function when a plugin is done, with whatever exception it left staying as it is.
void putBack(PyObject* function, PyObject* arguments) {
    py::error_scope const pending;
    if (PyObject* const result = PyObject_Call(function, arguments, nullptr)) {
        Py_DECREF(result);
    } else {
        PyErr_WriteUnraisable(function);
    }
}

} // namespace

CurrentStreams::TorchStream::TorchStream(int32_t device, void* stream) {
    Torch const* const torch = device < 0 ? nullptr : functionsOf<Torch>("torch");
    if (torch == nullptr) {
        return;
    }
    py::int_ const number(device);
    if (pointerFrom(taken(PyObject_CallOneArg(torch->rawCurrent.ptr(), number.ptr()))) !=
        plain(stream)) {
        py::object before = taken(PyObject_CallOneArg(torch->current.ptr(), number.ptr()));
        py::object const now = torch->numbersOf(device, plain(stream));
        taken(PyObject_Call(torch->setCurrent.ptr(), now.ptr(), nullptr));
        before_ = owned(std::move(before));
    }
}

CurrentStreams::TorchStream::~TorchStream() {
    if (before_ != nullptr) {
        putBack(functionsOf<Torch>("torch")->setCurrent.ptr(), before_);
        Py_DECREF(before_);
    }
}

CurrentStreams::CupyStream::CupyStream(int32_t device, void* stream) {
    Cupy const* const cupy = device < 0 ? nullptr : functionsOf<Cupy>("cupy");
    if (cupy == nullptr) {
        return;
    }
    py::int_ const number(device);
    py::object before = taken(PyObject_CallOneArg(cupy->current.ptr(), number.ptr()));
    if (pointerFrom(taken(PyObject_GetAttr(before.ptr(), cupy->pointer))) != plain(stream)) {
        // On CuPy's stack, so that a `with` inside of the plugin comes back to it.
        py::object now = cupy->streamOf(device, plain(stream));
        now.attr("__enter__")();
        before_ = owned(std::move(before));
        now_ = owned(std::move(now));
    }
}

CurrentStreams::CupyStream::~CupyStream() {
    if (before_ == nullptr) {
        return;
    }
    py::error_scope const pending;
    try {
        py::handle(now_).attr("__exit__")(py::none(), py::none(), py::none());
        py::handle(before_).attr("use")(); // CuPy's stack does not know of streams made so
    } catch (py::error_already_set& error) {
        error.discard_as_unraisable("the current stream of CuPy");
    }
    Py_DECREF(before_);
    Py_DECREF(now_);
}

CurrentStreams::CurrentStreams(void* stream) : CurrentStreams(kiln::pluginRun().device, stream) {}

} // namespace kiln::python
