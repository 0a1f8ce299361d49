// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "cupy_stream.h"

#include <memory>
#include <unordered_map>

#include "frameworks.h"
#include "native_object.h"
#include "plugin_support.h"

namespace kiln::python {

struct CupyFunctions {
    py::object current;  // cupy.cuda.get_current_stream
    py::object external; // cupy.cuda.ExternalStream
    PyObject* pointer = PyUnicode_InternFromString("ptr");
    PyObject* use = PyUnicode_InternFromString("use");
    std::uintptr_t (*native)() = nullptr;
    /// Methods of an ExternalStream.
    struct Stream {
        py::object enter, exit;
    };
    mutable std::unordered_map<void*, Stream> streams;

    explicit CupyFunctions(py::object const& cupy) {
        py::object const cuda = py::getattr(cupy, "cuda", py::none());
        if (py::hasattr(cuda, "ExternalStream")) {
            current = cuda.attr("get_current_stream");
            external = cuda.attr("ExternalStream");
            native = nativeCurrent();
        }
    }
    bool complete() const { return static_cast<bool>(external); }

    /// A C function that CuPy's Cython modules export; the capsule's name is its type.
    static std::uintptr_t (*nativeCurrent())() {
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
        return reinterpret_cast<std::uintptr_t (*)()>(PyCapsule_GetPointer(found, kType));
    }

    py::object currentObject(int32_t device) const {
        return taken(PyObject_CallOneArg(current.ptr(), py::int_(device).ptr()));
    }

    /// Calls the C function of CuPy's own modules, if CuPy has it.
    void* currentPointer(int32_t device) const {
        if (native != nullptr) {
            return plain(toPointer(native()));
        }
        return pointerFrom(taken(PyObject_GetAttr(currentObject(device).ptr(), pointer)));
    }

    Stream const& streamOf(int32_t device, void* stream) const {
        if (streams.size() > kMostStreams) {
            streams.clear();
        }
        Stream& known = streams[stream];
        if (!known.exit) {
            // CuPy 14 warns and suggests Stream.from_external(), whose streams end with the object.
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

CupyFunctions const* functionsOfCupy(py::object const& module) {
    auto functions = std::make_unique<CupyFunctions>(module);
    return functions->complete() ? functions.release() : nullptr;
}

void CupyStream::set(CupyFunctions const& cupy, int32_t device, void* stream) {
    pointer_ = cupy.currentPointer(device);
    if (pointer_ != plain(stream)) {
        change(cupy, device, stream);
    }
}

void CupyStream::change(CupyFunctions const& cupy, int32_t device, void* stream) {
    py::object before = cupy.currentObject(device);
    // Entered on CuPy's stack, so that a `with` inside the plugin restores this stream.
    CupyFunctions::Stream const now = cupy.streamOf(device, plain(stream));
    taken(PyObject_CallNoArgs(now.enter.ptr()));
    functions_ = &cupy;
    before_ = before.release().ptr();
    exit_ = py::object(now.exit).release().ptr();
}

void CupyStream::putBack() noexcept {
    py::error_scope const pending; // keeps an exception of the plugin
    PyObject* const none[] = {Py_None, Py_None, Py_None};
    drop(PyObject_Vectorcall(exit_, none, 3, nullptr), exit_);
    // CuPy's stack does not contain streams that `use` made current.
    if (functions_->native == nullptr || plain(toPointer(functions_->native())) != pointer_) {
        drop(PyObject_CallMethodNoArgs(before_, functions_->use), before_);
    }
    Py_DECREF(before_);
    Py_DECREF(exit_);
}

} // namespace kiln::python
