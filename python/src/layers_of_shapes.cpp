// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Gather, slice, select, shape, concatenation, reduce, unary and fill layers.
#include <optional>

#include <fmt/format.h>

#include "bindings.h"
#include "layer_hook.h"
#include "native_object.h"

namespace kiln::python {
namespace {

using namespace nvinfer1;

void bindPicking(py::module_& m) {
    LayerClass<IGatherLayer>(m, "IGatherLayer", "Picks elements of a tensor by index.")
        .def_property("axis", &IGatherLayer::getGatherAxis, &IGatherLayer::setGatherAxis,
                      "int: the axis to gather on; ND ignores it.")
        .def_property("num_elementwise_dims", &IGatherLayer::getNbElementWiseDims,
                      &IGatherLayer::setNbElementWiseDims,
                      "int: leading axes that data and indices share. Default: 0.")
        .def_property("mode", &IGatherLayer::getMode, &IGatherLayer::setMode,
                      "GatherMode: how indices are read.");
    LayerClass<ISliceLayer>(m, "ISliceLayer", "Takes start, start + stride, ... along axes.")
        .def_property("start", &ISliceLayer::getStart, &ISliceLayer::setStart,
                      "Dims: the first coordinates.")
        .def_property("shape", &ISliceLayer::getSize, &ISliceLayer::setSize,
                      "Dims: the extents of the output.")
        .def_property("stride", &ISliceLayer::getStride, &ISliceLayer::setStride,
                      "Dims: the steps; they may be negative.")
        .def_property("axes", &ISliceLayer::getAxes, &ISliceLayer::setAxes,
                      "Dims: the axes that are sliced. Default: all of them.")
        .def_property("mode", &ISliceLayer::getMode, &ISliceLayer::setMode,
                      "SampleMode: what is read outside the input. Default: STRICT_BOUNDS.")
        .def("set_input", &ISliceLayer::setInput, "index"_a, "tensor"_a,
             "Replaces input 0; or sets start (1), shape (2), stride (3), the fill value (4) or "
             "the axes (5) as a tensor.");
    LayerClass<ISelectLayer>(m, "ISelectLayer",
                             "Takes each element from one of two tensors, by a condition.");
    LayerClass<IShapeLayer>(m, "IShapeLayer", "Outputs the extents of a tensor, int64.");
}

void bindCombining(py::module_& m) {
    LayerClass<IConcatenationLayer>(m, "IConcatenationLayer", "Joins tensors along an axis.")
        .def_property("axis", &IConcatenationLayer::getAxis, &IConcatenationLayer::setAxis,
                      "int: the joined axis. Default: max(rank - 3, 0).");
    LayerClass<IReduceLayer>(m, "IReduceLayer", "Combines all elements along some axes.")
        .def_property("op", &IReduceLayer::getOperation, &IReduceLayer::setOperation,
                      "ReduceOperation: the operation.")
        .def_property("axes", &IReduceLayer::getReduceAxes, &IReduceLayer::setReduceAxes,
                      "int: bit i selects axis i.")
        .def_property("keep_dims", &IReduceLayer::getKeepDimensions,
                      &IReduceLayer::setKeepDimensions,
                      "bool: whether the reduced axes stay, with extent 1.");
    LayerClass<INonZeroLayer>(m, "INonZeroLayer", "Finds the elements that are not zero.")
        .def_property(
            "indices_type", &INonZeroLayer::getIndicesType,
            [](INonZeroLayer& self, DataType type) { self.setIndicesType(type); },
            "DataType: the type of the indices, int32 or int64.");
    LayerClass<IUnaryLayer>(m, "IUnaryLayer", "Applies a function to each element.")
        .def_property("op", &IUnaryLayer::getOperation, &IUnaryLayer::setOperation,
                      "UnaryOperation: the function.");
}

/// int if alpha and beta are integers, else float.
py::object numberOf(IFillLayer const& layer, double real, int64_t whole) {
    return layer.isAlphaBetaInt64() ? py::object(py::int_(whole)) : py::object(py::float_(real));
}

/// Calls one of two setters: for integers of any kind, or for other objects that convert to float.
template <typename Whole, typename Real>
void setNumber(py::handle value, char const* name, Whole&& whole, Real&& real) {
    if (std::optional<int64_t> const integer = integerFrom(value)) {
        whole(*integer);
        return;
    }
    double const number = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        throw py::type_error(fmt::format("[IFillLayer] {}: expected an int or a float, got {}",
                                         name, Py_TYPE(value.ptr())->tp_name));
    }
    real(number);
}

void bindFill(py::module_& m) {
    LayerClass<IFillLayer>(m, "IFillLayer", "Creates evenly spaced values.")
        .def_property("shape", &IFillLayer::getDimensions, &IFillLayer::setDimensions,
                      "Dims: the shape of the output.")
        .def_property("operation", &IFillLayer::getOperation, &IFillLayer::setOperation,
                      "FillOperation: what is written.")
        .def_property("to_type", &IFillLayer::getToType, &IFillLayer::setToType,
                      "DataType: the type of the output.")
        .def_property(
            "alpha",
            [](IFillLayer const& self) {
                return numberOf(self, self.getAlpha(), self.getAlphaInt64());
            },
            [](IFillLayer& self, py::object const& value) {
                setNumber(
                    value, "alpha", [&](int64_t number) { self.setAlphaInt64(number); },
                    [&](double number) { self.setAlpha(number); });
            },
            "int | float: the first value. Default: 0.")
        .def_property(
            "beta",
            [](IFillLayer const& self) {
                return numberOf(self, self.getBeta(), self.getBetaInt64());
            },
            [](IFillLayer& self, py::object const& value) {
                setNumber(
                    value, "beta", [&](int64_t number) { self.setBetaInt64(number); },
                    [&](double number) { self.setBeta(number); });
            },
            "int | float: the step. Default: 1.")
        .def("is_alpha_beta_int64", &IFillLayer::isAlphaBetaInt64,
             "Whether alpha and beta were set as int.")
        .def("set_input", &IFillLayer::setInput, "index"_a, "tensor"_a,
             "Sets the shape (0), alpha (1) or a beta for each axis (2) to a tensor.");
}

} // namespace

void initLayersOfShapes(py::module_& m) {
    bindPicking(m);
    bindCombining(m);
    bindFill(m);
}

} // namespace kiln::python
