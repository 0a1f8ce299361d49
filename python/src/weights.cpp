// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "weights.h"

#include <string>

#include <fmt/format.h>

#include "bindings.h"
#include "native_object.h"

namespace kiln::python {
namespace {

using nvinfer1::DataType;
using nvinfer1::Weights;

char const* numpyName(DataType type) {
    switch (type) {
    case DataType::kFLOAT: return "float32";
    case DataType::kHALF: return "float16";
    case DataType::kINT8: return "int8";
    case DataType::kINT32: return "int32";
    case DataType::kBOOL: return "bool";
    case DataType::kUINT8: return "uint8";
    case DataType::kINT64: return "int64";
    default: return nullptr;
    }
}

int bitsOf(DataType type) {
    switch (type) {
    case DataType::kINT64: return 64;
    case DataType::kFLOAT:
    case DataType::kINT32: return 32;
    case DataType::kHALF:
    case DataType::kBF16: return 16;
    case DataType::kINT4:
    case DataType::kFP4: return 4;
    default: return 8;
    }
}

int64_t bytesOf(Weights const& weights) {
    return (weights.count * bitsOf(weights.type) + 7) / 8;
}

DataType typeOf(py::array const& array) {
    std::string const name = py::str(array.dtype().attr("name"));
    for (DataType const type :
         {DataType::kFLOAT, DataType::kHALF, DataType::kINT8, DataType::kINT32, DataType::kBOOL,
          DataType::kUINT8, DataType::kINT64}) {
        if (name == numpyName(type)) {
            return type;
        }
    }
    // Types of the ml_dtypes package, known by name without depending on it.
    if (name == "bfloat16") {
        return DataType::kBF16;
    }
    if (name == "float8_e4m3fn") {
        return DataType::kFP8;
    }
    throw py::type_error(fmt::format(
        "[weights] expected an array of float32, float16, bfloat16, int8, uint8, int32, int64 or "
        "bool, got {}. Convert it with astype.",
        name));
}

WeightsObject fromArray(py::array const& source) {
    // A NumPy type includes the byte order; Kiln uses the machine's.
    py::object const native = source.dtype().attr("newbyteorder")("=");
    auto const array = py::reinterpret_borrow<py::array>(
        py::module_::import("numpy").attr("ascontiguousarray")(source, native));
    return {{typeOf(array), array.data(), static_cast<int64_t>(array.size())}, array};
}

} // namespace

py::dtype numpyType(DataType type) {
    char const* const name = numpyName(type);
    if (name == nullptr) {
        throw py::type_error(
            fmt::format("expected a type that NumPy has, got {}. View its bytes as "
                        "an integer type of the same size.",
                        py::str(py::cast(type)).cast<std::string>()));
    }
    return py::dtype(name);
}

WeightsObject toWeights(py::handle value) {
    if (value.is_none()) {
        return {};
    }
    if (py::isinstance<WeightsObject>(value)) {
        WeightsObject weights = value.cast<WeightsObject const&>();
        if (!weights.owner) {
            weights.owner = py::reinterpret_borrow<py::object>(value);
        }
        return weights;
    }
    if (!py::isinstance<py::array>(value)) {
        throw py::type_error(fmt::format("[weights] expected a NumPy array or Weights, got {}",
                                         Py_TYPE(value.ptr())->tp_name));
    }
    return fromArray(py::cast<py::array>(value));
}

void keepWeights(py::handle network, WeightsObject const& weights) {
    if (weights.owner) {
        py::detail::keep_alive_impl(network, weights.owner);
    }
}

void keepWeightsOfLayer(py::handle layer, WeightsObject const& weights) {
    // A layer keeps its network alive as a "patient"; the weights must live as long as the network,
    // which may outlive the layer's Python object.
    auto const& patients = py::detail::get_internals().patients;
    auto const found = patients.find(layer.ptr());
    if (found != patients.end()) {
        for (PyObject* patient : found->second) {
            if (py::isinstance<nvinfer1::INetworkDefinition>(patient)) {
                keepWeights(patient, weights);
                return;
            }
        }
    }
    keepWeights(layer, weights);
}

py::object fromWeights(Weights const& weights, py::handle base) {
    if (numpyName(weights.type) == nullptr) {
        return py::cast(WeightsObject{weights, py::reinterpret_borrow<py::object>(base)});
    }
    if (weights.values == nullptr) {
        return py::array(numpyType(weights.type), py::array::ShapeContainer{0});
    }
    return py::array(numpyType(weights.type),
                     py::array::ShapeContainer{static_cast<py::ssize_t>(weights.count)},
                     weights.values, base);
}

void initWeights(py::module_& m) {
    py::class_<WeightsObject>(m, "Weights", "Values of a layer: a type, an address and a count.")
        .def(py::init([](DataType type) {
                 WeightsObject weights;
                 weights.native.type = type;
                 return weights;
             }),
             "type"_a = DataType::kFLOAT, "No values.")
        .def(py::init([](DataType type, std::uintptr_t ptr, int64_t count) {
                 if (count < 0) {
                     throw py::value_error(
                         fmt::format("[weights] count: expected 0 or more, got {}", count));
                 }
                 return WeightsObject{{type, toPointer(ptr), count}, {}};
             }),
             "type"_a, "ptr"_a, "count"_a,
             "Values in memory that the caller keeps until the engine is built.\n\n"
             "type: DataType. ptr: int, their address. count: int, how many.")
        .def(py::init(&fromArray), "a"_a,
             "The values of a NumPy array, which stays alive with this object.")
        .def("__len__", [](WeightsObject const& self) { return self.native.count; })
        .def(
            "numpy",
            [](py::object const& self) {
                return fromWeights(self.cast<WeightsObject const&>().native, self);
            },
            "The values as a NumPy array over the same memory; self for types that NumPy lacks.")
        .def_property_readonly(
            "dtype", [](WeightsObject const& self) { return self.native.type; },
            "DataType: of the values.")
        .def_property_readonly(
            "size", [](WeightsObject const& self) { return self.native.count; },
            "int: the number of values.")
        .def_property_readonly(
            "nbytes", [](WeightsObject const& self) { return bytesOf(self.native); },
            "int: the size of the values in bytes.");
    py::implicitly_convertible<py::array, WeightsObject>();

    m.def(
        "nptype", [](DataType trtType) { return numpyType(trtType).attr("type"); }, "trt_type"_a,
        "The NumPy type of a DataType, such as numpy.float32.\n\n"
        "Raises TypeError for types that NumPy lacks, such as BF16.");
}

} // namespace kiln::python
