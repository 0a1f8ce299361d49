// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run_method.h"

#include <string>
#include <vector>

#include <kiln/kiln.h>

#include "failure.h"
#include "gil.h"
#include "native_object.h"

namespace kiln::python {
namespace {

using nvinfer1::IExecutionContext;

constexpr char const* kName = "execute_async_v3";

PyObject* boundMethod = nullptr; // the method that pybind11 bound

[[gnu::cold]] PyObject* runBound(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                                 PyObject* names) {
    std::vector<PyObject*> all{self};
    Py_ssize_t const named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    all.insert(all.end(), arguments, arguments + count + named);
    return PyObject_Vectorcall(boundMethod, all.data(), static_cast<std::size_t>(count) + 1, names);
}

/// The C++ object of an instance, whose type Python has checked; null if it takes more to find it,
/// because the class also derives from another bound class.
IExecutionContext* contextOf(PyObject* self) {
    auto* const instance = reinterpret_cast<py::detail::instance*>(self);
    return instance->simple_layout
               ? static_cast<IExecutionContext*>(instance->simple_value_holder[0])
               : nullptr;
}

int32_t enqueueKept(IExecutionContext& context, cudaStream_t stream) {
    GilKept const kept;
    return enqueuePythonAlone(context, stream);
}

/// Releases the GIL, unless only Python plugins run: releasing and taking it twice costs as much as
/// the rest.
bool enqueue(IExecutionContext& context, cudaStream_t stream) {
    if (int32_t const done = enqueueKept(context, stream); done >= 0) {
        return done != 0;
    }
    PyThreadState* const thread = PyEval_SaveThread();
    bool const done = context.enqueueV3(stream);
    GilReleased::takeBack(thread);
    return done;
}

/// Raises the exception of a callback, if one was kept; else returns False.
[[gnu::cold]] PyObject* failure() {
    try {
        raiseKept();
    } catch (py::error_already_set& error) {
        error.restore();
        return nullptr;
    }
    Py_RETURN_FALSE;
}

PyObject* run(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
              PyObject* names) noexcept {
    IExecutionContext* const context = contextOf(self);
    bool const plain = names == nullptr && count == 1 && PyLong_CheckExact(arguments[0]);
    if (context == nullptr || !plain) {
        return runBound(self, arguments, count, names);
    }
    std::size_t const stream = PyLong_AsSize_t(arguments[0]);
    if (stream == static_cast<std::size_t>(-1) && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        return runBound(self, arguments, count, names);
    }
    forgetKept();
    bool const done = enqueue(*context, static_cast<cudaStream_t>(toPointer(stream)));
    return done ? Py_NewRef(Py_True) : failure();
}

} // namespace

void shortenRun(py::class_<IExecutionContext>& cls) {
    auto* const type = reinterpret_cast<PyTypeObject*>(cls.ptr());
    py::object bound = cls.attr(kName);
    static auto const* const doc = new std::string(py::str(bound.attr("__doc__")));
    static PyMethodDef method{kName, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&run)),
                              METH_FASTCALL | METH_KEYWORDS, doc->c_str()};
    cls.attr(kName) = py::reinterpret_steal<py::object>(PyDescr_NewMethod(type, &method));
    boundMethod = bound.release().ptr(); // never freed, like the class
}

} // namespace kiln::python
