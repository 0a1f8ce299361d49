// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include <fmt/format.h>

#include "layer_bindings.h"

namespace kiln::python {
namespace {

using namespace nvinfer1;

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

} // namespace

void bindLayer_fill(LayerBindings& bindings) {
    LayerClass<IFillLayer>(bindings, LayerType::kFILL, "IFillLayer",
                           "Creates evenly spaced or random values.\n\n"
                           "Random numbers differ in each layer and in each run of a context. "
                           "All contexts and targets have the same sequence.")
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
            "int | float: the first value, the minimum or the mean. Default: 0.")
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
            "int | float: the step, the maximum or the standard deviation. Default: 1.")
        .def("is_alpha_beta_int64", &IFillLayer::isAlphaBetaInt64,
             "Whether alpha and beta were set as int.")
        .def("set_input", &IFillLayer::setInput, "index"_a, "tensor"_a,
             "Sets the shape (0), alpha (1) or beta (2; one for each axis of LINSPACE) to a "
             "tensor.");
    bindings.network.def(
        "add_fill",
        py::overload_cast<Dims const&, FillOperation, DataType>(&INetworkDefinition::addFill),
        "shape"_a, "op"_a, "output_type"_a = DataType::kFLOAT, kInternal,
        "Adds evenly spaced or random values; returns an IFillLayer. Set its alpha and beta.");
}

} // namespace kiln::python
