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
    // An import would make the table longer: a look at its length is all that most calls pay.
    static Py_ssize_t lookedAmong = -1;
    PyObject* const modules = PyImport_GetModuleDict();
    Py_ssize_t const count = PyDict_Size(modules);
    if (count == lookedAmong) [[likely]] {
        return nullptr;
    }
    lookedAmong = PyDict_Contains(modules, interned) == 0 ? count : -1;
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

/// The legacy default stream has two names, 0 and cudaStreamLegacy.
void* plain(void* stream) {
    return toAddress(stream) == 1 ? nullptr : stream;
}

void* pointerFrom(py::object const& number) {
    return plain(PyLong_AsVoidPtr(number.ptr()));
}

struct Torch {
    // These take and give numbers: three for a stream, as setCurrent takes them.
    py::object rawCurrent, current, setCurrent;
    py::object external, standard; // torch.cuda.ExternalStream, torch.cuda.default_stream
    mutable std::unordered_map<void*, py::object> numbers; // by stream

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
    PyObject* use = PyUnicode_InternFromString("use");
    std::intptr_t (*native)() = nullptr;
    /// Methods of an ExternalStream.
    struct Stream {
        py::object enter, exit;
    };
    mutable std::unordered_map<void*, Stream> streams;

    explicit Cupy(py::object const& cupy) {
        py::object const cuda = py::getattr(cupy, "cuda", py::none());
        if (py::hasattr(cuda, "ExternalStream")) {
            current = cuda.attr("get_current_stream");
            external = cuda.attr("ExternalStream");
            native = nativeCurrent();
        }
    }
    bool complete() const { return static_cast<bool>(external); }

    /// What modules in Cython export for each other, with its type as the capsule's name.
    static std::intptr_t (*nativeCurrent())() {
        constexpr char const* kType = "intptr_t (void)";
        PyObject* const modules = PyImport_GetModuleDict();
        PyObject* const module = PyDict_GetItemString(modules, "cupy_backends.cuda.stream");
        py::object const functions =
            module == nullptr ? py::object() : py::getattr(module, "__pyx_capi__", py::none());
        if (!functions || !py::isinstance<py::dict>(functions)) {
            return nullptr;
        }
        PyObject* const found = PyDict_GetItemString(functions.ptr(), "get_current_stream_ptr");
        if (found == nullptr || PyCapsule_IsValid(found, kType) == 0) {
            return nullptr;
        }
        return reinterpret_cast<std::intptr_t (*)()>(PyCapsule_GetPointer(found, kType));
    }

    /// The current stream: through the C function that CuPy's own modules call, where it is there.
    void* currentPointer(py::int_ const& device) const {
        if (native != nullptr) {
            return plain(reinterpret_cast<void*>(native()));
        }
        py::object const stream = taken(PyObject_CallOneArg(current.ptr(), device.ptr()));
        return pointerFrom(taken(PyObject_GetAttr(stream.ptr(), pointer)));
    }

    Stream const& streamOf(int32_t device, void* stream) const {
        if (streams.size() > kMostStreams) {
            streams.clear();
        }
        Stream& known = streams[stream];
        if (!known.exit) {
            // CuPy 14 would rather have Stream.from_external(), whose streams end with the object.
            py::object const warnings = py::module_::import("warnings");
            py::object const quiet = warnings.attr("catch_warnings")();
            quiet.attr("__enter__")();
            warnings.attr("simplefilter")("ignore");
            py::object const made = external(toAddress(stream), device);
            quiet.attr("__exit__")(py::none(), py::none(), py::none());
            known = {made.attr("__enter__"), made.attr("__exit__")};
        }
        return known;
    }
};

/// After a call that ends a change: there is nobody left to fail.
void drop(PyObject* result, PyObject* function) {
    if (result == nullptr) {
        PyErr_WriteUnraisable(function);
    }
    Py_XDECREF(result);
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
        py::error_scope const pending; // an exception of the plugin stays as it is
        PyObject* const set = functionsOf<Torch>("torch")->setCurrent.ptr();
        drop(PyObject_Call(set, before_, nullptr), set);
        Py_DECREF(before_);
    }
}

CurrentStreams::CupyStream::CupyStream(int32_t device, void* stream) {
    Cupy const* const cupy = device < 0 ? nullptr : functionsOf<Cupy>("cupy");
    if (cupy == nullptr) {
        return;
    }
    py::int_ const number(device);
    pointer_ = cupy->currentPointer(number);
    if (pointer_ != plain(stream)) {
        py::object before = taken(PyObject_CallOneArg(cupy->current.ptr(), number.ptr()));
        // On CuPy's stack, so that a `with` inside of the plugin comes back to it.
        Cupy::Stream const now = cupy->streamOf(device, plain(stream));
        taken(PyObject_CallNoArgs(now.enter.ptr()));
        before_ = owned(std::move(before));
        exit_ = owned(now.exit);
    }
}

CurrentStreams::CupyStream::~CupyStream() {
    if (before_ == nullptr) {
        return;
    }
    py::error_scope const pending; // an exception of the plugin stays as it is
    PyObject* const none[] = {Py_None, Py_None, Py_None};
    drop(PyObject_Vectorcall(exit_, none, 3, nullptr), exit_);
    // CuPy's stack does not know of streams that `use` made current.
    Cupy const& cupy = *functionsOf<Cupy>("cupy");
    if (cupy.native == nullptr || cupy.currentPointer(py::int_(0)) != pointer_) {
        drop(PyObject_CallMethodNoArgs(before_, cupy.use), before_);
    }
    Py_DECREF(before_);
    Py_DECREF(exit_);
}

CurrentStreams::CurrentStreams(void* stream) : CurrentStreams(kiln::pluginRun().device, stream) {}

} // namespace kiln::python
