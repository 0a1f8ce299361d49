// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.h"
#include "failure.h"
#include "native_object.h"

namespace kiln::python {
namespace {

using nvinfer1::Dims;
using nvinfer1::IOptimizationProfile;
using nvinfer1::OptProfileSelector;

constexpr std::array kSelectors{OptProfileSelector::kMIN, OptProfileSelector::kOPT,
                                OptProfileSelector::kMAX};
constexpr std::array kNames{"min", "opt", "max"};

/// The three shapes must agree in rank, and each extent must not shrink from one to the next.
void checkOrder(std::string const& input, std::array<Dims, 3> const& shapes) {
    for (std::size_t i = 1; i < shapes.size(); ++i) {
        bool ordered = shapes[i].nbDims == shapes[0].nbDims;
        for (int32_t d = 0; ordered && d < shapes[0].nbDims; ++d) {
            ordered = shapes[i - 1].d[d] <= shapes[i].d[d];
        }
        if (!ordered) {
            throw py::value_error(fmt::format(
                "[profile] input '{}': expected min <= opt <= max in every dimension, got {} {} "
                "after {} {}",
                input, kNames[i], py::str(py::cast(shapes[i])).cast<std::string>(), kNames[i - 1],
                py::str(py::cast(shapes[i - 1])).cast<std::string>()));
        }
    }
}

/// Keeps the names of the inputs in the Python object: its repr shows them, and the API lists none.
void noteInput(IOptimizationProfile& self, std::string const& input) {
    py::object const object = py::cast(&self);
    py::dict inputs = py::getattr(object, "_inputs", py::dict());
    inputs[py::str(input)] = py::none();
    object.attr("_inputs") = inputs;
}

void setShape(IOptimizationProfile& self, std::string const& input, Dims const& min,
              Dims const& opt, Dims const& max) {
    std::array const shapes{min, opt, max};
    checkOrder(input, shapes);
    forgetError();
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        if (!self.setDimensions(input.c_str(), kSelectors[i], shapes[i])) {
            throw py::value_error(reportedError(
                fmt::format("[profile] input '{}', {}: the shape was refused", input, kNames[i])));
        }
    }
    noteInput(self, input);
}

std::vector<Dims> getShape(IOptimizationProfile const& self, std::string const& input) {
    std::vector<Dims> shapes;
    for (OptProfileSelector const selector : kSelectors) {
        Dims const shape = self.getDimensions(input.c_str(), selector);
        if (shape.nbDims < 0) {
            return {};
        }
        shapes.push_back(shape);
    }
    return shapes;
}

void setShapeInput(IOptimizationProfile& self, std::string const& input,
                   std::vector<int64_t> const& min, std::vector<int64_t> const& opt,
                   std::vector<int64_t> const& max) {
    std::array const values{&min, &opt, &max};
    forgetError();
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!self.setShapeValuesV2(input.c_str(), kSelectors[i], values[i]->data(),
                                   static_cast<int32_t>(values[i]->size()))) {
            throw py::value_error(reportedError(fmt::format(
                "[profile] shape input '{}', {}: the values were refused", input, kNames[i])));
        }
    }
    noteInput(self, input);
}

std::vector<std::vector<int64_t>> getShapeInput(IOptimizationProfile const& self,
                                                std::string const& input) {
    std::vector<std::vector<int64_t>> result;
    int32_t const count = self.getNbShapeValues(input.c_str());
    for (OptProfileSelector const selector : kSelectors) {
        int64_t const* const values = self.getShapeValuesV2(input.c_str(), selector);
        if (values == nullptr || count < 0) {
            return {};
        }
        result.emplace_back(values, values + count);
    }
    return result;
}

} // namespace

void initProfile(py::module_& m) {
    py::class_<IOptimizationProfile, Borrowed<IOptimizationProfile>>(
        m, "IOptimizationProfile", py::dynamic_attr(),
        "Bounds for the inputs whose shapes are known at run time only. Made by "
        "Builder.create_optimization_profile.")
        .def("set_shape", &setShape, "input"_a, "min"_a, "opt"_a, "max"_a,
             "Sets the minimum, optimum and maximum shape of an input.\n\n"
             "Raises ValueError if they are not in that order.\n"
             "Example: ``profile.set_shape('x', (1, 3, 8, 8), (8, 3, 8, 8), (32, 3, 8, 8))``.")
        .def("get_shape", &getShape, "input"_a,
             "The three shapes of an input as a list of Dims; empty if they are not set.")
        .def("set_shape_input", &setShapeInput, "input"_a, "min"_a, "opt"_a, "max"_a,
             "Sets the minimum, optimum and maximum values of a shape tensor input.")
        .def("get_shape_input", &getShapeInput, "input"_a,
             "The three lists of values of a shape tensor input; empty if they are not set.")
        .def_property(
            "extra_memory_target", &IOptimizationProfile::getExtraMemoryTarget,
            [](IOptimizationProfile& self, float target) {
                if (!self.setExtraMemoryTarget(target)) {
                    throw py::value_error(fmt::format(
                        "[profile] extra_memory_target: expected 0 to 1, got {}", target));
                }
            },
            "float: share of additional memory that this profile may use, 0 to 1. Default: 1.")
        .def("__nonzero__", &IOptimizationProfile::isValid, "Whether the profile is complete.")
        .def("__bool__", &IOptimizationProfile::isValid);
}

} // namespace kiln::python
