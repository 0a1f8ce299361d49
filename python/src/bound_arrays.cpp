// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "bound_arrays.h"

#include <map>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "bindings.h"
#include "plugin_support.h"

namespace kiln::python {
namespace {

using namespace nvinfer1;
using Arrays = std::map<std::string, py::object>;

/// The bound arrays of each context. Guarded by the GIL; never destroyed, because contexts may
/// outlive static destruction.
std::unordered_map<PyObject*, Arrays>& boundArrays() {
    static auto* const table = new std::unordered_map<PyObject*, Arrays>;
    return *table;
}

/// Making an array imports its class, so without the module no object is an array.
bool isDeviceArray(py::handle object) {
    PyObject* const modules = PyImport_GetModuleDict();
    PyObject* const module = PyDict_GetItemString(modules, "kiln._device_array");
    return module != nullptr && py::isinstance(object, py::handle(module).attr("DeviceArray"));
}

std::string shownAs(py::handle value) {
    return py::str(value).cast<std::string>();
}

/// Bytes that a tensor needs now; -1 if shape or layout do not determine the number yet.
int64_t bytesNeeded(IExecutionContext& context, char const* name, int64_t elementBytes) {
    ICudaEngine const& engine = context.getEngine();
    if (engine.getTensorFormat(name) != TensorFormat::kLINEAR) {
        return -1;
    }
    Dims const shape = context.getTensorShape(name);
    int64_t bytes = shape.nbDims < 0 ? -1 : elementBytes;
    for (int32_t i = 0; i < shape.nbDims && bytes >= 0; ++i) {
        bytes = shape.d[i] < 0 ? -1 : bytes * shape.d[i];
    }
    return bytes;
}

/// Whether the engine has a tensor of this name. setTensorAddress reports unknown names.
bool isTensorOf(ICudaEngine const& engine, std::string const& name) {
    for (int32_t i = 0; i < engine.getNbIOTensors(); ++i) {
        if (name == engine.getIOTensorName(i)) {
            return true;
        }
    }
    return false;
}

void checkArray(IExecutionContext& context, char const* name, py::handle array) {
    if (!isTensorOf(context.getEngine(), name)) {
        return;
    }
    auto const type = context.getEngine().getTensorDataType(name);
    if (array.attr("type").cast<DataType>() != type) {
        std::string const wanted = shownAs(py::cast(type).attr("name"));
        throw py::type_error(fmt::format(
            "[context] tensor '{}': expected a DeviceArray of {}, got one of {}. Make it with "
            "dtype=trt.DataType.{}.",
            name, wanted, shownAs(array.attr("type").attr("name")), wanted));
    }
    auto const bytes = array.attr("nbytes").cast<int64_t>();
    int64_t const needed =
        bytesNeeded(context, name, array.attr("dtype").attr("itemsize").cast<int64_t>());
    if (bytes < needed) {
        throw py::value_error(fmt::format(
            "[context] tensor '{}': expected a DeviceArray of {} bytes or more for the shape {}, "
            "got {} bytes, shape {}",
            name, needed, shownAs(py::tuple(py::cast(context.getTensorShape(name)))), bytes,
            shownAs(array.attr("shape"))));
    }
}

} // namespace

std::uintptr_t addressToBind(IExecutionContext& context, char const* name, py::handle memory) {
    py::detail::make_caster<std::uintptr_t> caster;
    if (PyLong_Check(memory.ptr()) == 0 && isDeviceArray(memory)) {
        checkArray(context, name, memory);
        return memory.attr("ptr").cast<std::uintptr_t>();
    }
    if (!caster.load(memory, true)) {
        throw py::type_error(fmt::format(
            "[context] tensor '{}': expected an address (int) or a kiln.DeviceArray, got {}. Pass "
            "the address: array.ctypes.data of NumPy, tensor.data_ptr() of Torch, array.data.ptr "
            "of CuPy.",
            name, className(memory)));
    }
    return py::detail::cast_op<std::uintptr_t>(caster);
}

void keepBound(py::handle context, char const* name, py::handle memory) {
    auto& table = boundArrays();
    auto const known = table.find(context.ptr());
    if (!isDeviceArray(memory)) {
        if (known != table.end()) {
            py::object const before = std::exchange(known->second[name], py::object());
        }
        return;
    }
    if (known == table.end()) {
        py::weakref(context, py::cpp_function([key = context.ptr()](py::handle reference) {
                        Arrays const gone = std::move(boundArrays()[key]);
                        boundArrays().erase(key);
                        reference.dec_ref();
                    }))
            .release();
    }
    py::object const before =
        std::exchange(table[context.ptr()][name], py::reinterpret_borrow<py::object>(memory));
}

} // namespace kiln::python
