// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "cupy_stream.h"

#include <unordered_map>
#include <utility>

#include "imported_framework.h"
#include "native_object.h"
#include "plugin_support.h"

namespace kiln::python {
namespace {

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

} // namespace

CupyStream::CupyStream(int32_t device, void* stream) {
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
        before_ = before.release().ptr();
        exit_ = py::object(now.exit).release().ptr();
    }
}

void CupyStream::putBack() noexcept {
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

} // namespace kiln::python
