// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "torch_stream.h"

#include <dlfcn.h>

#include <memory>
#include <unordered_map>

#include "frameworks.h"
#include "native_object.h"
#include "plugin_support.h"

namespace kiln::python {
namespace {

/// Torch's C interface for separately compiled code, if this Torch has it. A call returns 0 for
/// success, and is cheaper than the same in Python.
struct NativeTorch {
    int32_t (*current)(int32_t device, void** stream) = nullptr;
    int32_t (*makeGuard)(void* stream, int32_t device, void** guard) = nullptr;
    int32_t (*deleteGuard)(void* guard) = nullptr;

    NativeTorch() {
        void* const library = dlopen("libtorch_cuda.so", RTLD_NOLOAD | RTLD_LAZY);
        if (library == nullptr) {
            return;
        }
        find(library, "aoti_torch_create_cuda_stream_guard", makeGuard);
        find(library, "aoti_torch_delete_cuda_stream_guard", deleteGuard);
        if (makeGuard != nullptr && deleteGuard != nullptr) {
            find(library, "aoti_torch_get_current_cuda_stream", current);
        }
        dlclose(library); // Torch keeps it open
    }

    template <typename Function>
    static void find(void* library, char const* name, Function*& function) {
        function = reinterpret_cast<Function*>(dlsym(library, name));
    }
};

} // namespace

struct TorchFunctions {
    NativeTorch native; // complete if `current` is set
    // These functions use numbers: three identify a stream, as in the arguments of setCurrent.
    py::object rawCurrent, current, setCurrent;
    py::object external, standard; // torch.cuda.ExternalStream, torch.cuda.default_stream
    mutable std::unordered_map<void*, py::object> numbers; // by stream

    explicit TorchFunctions(py::object const& torch) {
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

TorchFunctions const* functionsOfTorch(py::object const& module) {
    auto functions = std::make_unique<TorchFunctions>(module);
    return functions->complete() ? functions.release() : nullptr;
}

void TorchStream::set(TorchFunctions const& torch, int32_t device, void* stream) {
    functions_ = &torch;
    void* now = nullptr;
    bool const done = torch.native.current != nullptr && torch.native.current(device, &now) == 0 &&
                      (plain(now) == plain(stream) ||
                       torch.native.makeGuard(plain(stream), device, &guard_) == 0);
    if (!done) [[unlikely]] {
        setInPython(device, stream); // where errors of Torch have a text
    }
}

void TorchStream::setInPython(int32_t device, void* stream) {
    TorchFunctions const& torch = *functions_;
    py::int_ const number(device);
    if (pointerFrom(taken(PyObject_CallOneArg(torch.rawCurrent.ptr(), number.ptr()))) !=
        plain(stream)) {
        py::object before = taken(PyObject_CallOneArg(torch.current.ptr(), number.ptr()));
        py::object const wanted = torch.numbersOf(device, plain(stream));
        taken(PyObject_Call(torch.setCurrent.ptr(), wanted.ptr(), nullptr));
        before_ = before.release().ptr();
    }
}

void TorchStream::putBack() noexcept {
    if (guard_ != nullptr) {
        functions_->native.deleteGuard(guard_);
        return;
    }
    py::error_scope const pending; // keeps an exception of the plugin
    PyObject* const set = functions_->setCurrent.ptr();
    drop(PyObject_Call(set, before_, nullptr), set);
    Py_DECREF(before_);
}

} // namespace kiln::python
