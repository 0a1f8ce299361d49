// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// IAlgorithmSelector, which users implement in Python.
#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.h"
#include "message_code.h"
#include "native_object.h"
#include "user_callback.h"

namespace kiln::python {
namespace {

using nvinfer1::Dims;
using nvinfer1::IAlgorithm;
using nvinfer1::IAlgorithmContext;
using nvinfer1::IAlgorithmIOInfo;
using nvinfer1::IAlgorithmSelector;
using nvinfer1::IAlgorithmVariant;
using nvinfer1::OptProfileSelector;

constexpr auto kListed = py::return_value_policy::reference;

template <typename T>
py::list listOfBorrowed(T const* const* objects, int32_t count) {
    py::list list;
    for (int32_t i = 0; i < count; ++i) {
        list.append(py::cast(objects[i], kListed));
    }
    return list;
}

class PythonSelector final : public IAlgorithmSelector {
public:
    nvinfer1::APILanguage getAPILanguage() const noexcept override {
        return nvinfer1::APILanguage::kPYTHON;
    }
    int32_t selectAlgorithms(IAlgorithmContext const& context, IAlgorithm const* const* choices,
                             int32_t count, int32_t* selection) noexcept override {
        Gil const gil;
        if (!gil) {
            return -1;
        }
        auto const chosen = callUser(base(), "select_algorithms", std::vector<int32_t>(),
                                     py::cast(&context, kListed), listOfBorrowed(choices, count));
        auto const room = std::min(chosen.size(), static_cast<std::size_t>(count));
        std::copy_n(chosen.begin(), room, selection);
        return static_cast<int32_t>(room);
    }
    void reportAlgorithms(IAlgorithmContext const* const* contexts,
                          IAlgorithm const* const* choices, int32_t count) noexcept override {
        Gil const gil;
        if (gil) {
            notifyUser(base(), "report_algorithms", listOfBorrowed(contexts, count),
                       listOfBorrowed(choices, count));
        }
    }

private:
    IAlgorithmSelector const* base() const noexcept { return this; }
};

std::vector<Dims> shapesOfOperand(IAlgorithmContext const& self, int32_t index) {
    std::vector<Dims> shapes;
    for (auto const selector :
         {OptProfileSelector::kMIN, OptProfileSelector::kOPT, OptProfileSelector::kMAX}) {
        shapes.push_back(self.getDimensions(index, selector));
    }
    return shapes;
}

[[noreturn]] void failNoSelection(py::handle self, char const* name) {
    setError(PyExc_NotImplementedError,
             fmt::format("[selector] expected {} to define {}(), the class does not",
                         Py_TYPE(self.ptr())->tp_name, name));
    throw py::error_already_set();
}

void bindCandidates(py::module_& m) {
    py::class_<IAlgorithmIOInfo, Borrowed<IAlgorithmIOInfo>>(m, "IAlgorithmIOInfo",
                                                             "One operand of a candidate.")
        .def_property_readonly("dtype", &IAlgorithmIOInfo::getDataType,
                               "DataType: the element type.")
        .def_property_readonly("strides", &IAlgorithmIOInfo::getStrides,
                               "Dims: the strides of the operand, in elements.")
        .def_property_readonly("vectorized_dim", &IAlgorithmIOInfo::getVectorizedDim,
                               "int: the vectorized dimension; -1 for none.")
        .def_property_readonly("components_per_element", &IAlgorithmIOInfo::getComponentsPerElement,
                               "int: elements in a vector; 1 without vectors.");
    py::class_<IAlgorithmVariant, Borrowed<IAlgorithmVariant>>(
        m, "IAlgorithmVariant", "Distinguishes a candidate from the others.")
        .def_property_readonly("implementation", &IAlgorithmVariant::getImplementation,
                               "int: number of the implementation.")
        .def_property_readonly("tactic", &IAlgorithmVariant::getTactic,
                               "int: number of the tactic.");
    py::class_<IAlgorithmContext, Borrowed<IAlgorithmContext>>(
        m, "IAlgorithmContext", "The layer that candidates are offered for.")
        .def_property_readonly("name", &IAlgorithmContext::getName, "str: name of the layer.")
        .def("get_shape", &shapesOfOperand, "index"_a,
             "The minimum, optimum and maximum shape of an operand; inputs come first.")
        .def_property_readonly("num_inputs", &IAlgorithmContext::getNbInputs,
                               "int: the number of inputs.")
        .def_property_readonly("num_outputs", &IAlgorithmContext::getNbOutputs,
                               "int: the number of outputs.");
    py::class_<IAlgorithm, Borrowed<IAlgorithm>>(m, "IAlgorithm", "A candidate for a layer.")
        .def_property_readonly("algorithm_variant", &IAlgorithm::getAlgorithmVariant,
                               "IAlgorithmVariant: distinguishes it from the others.")
        .def_property_readonly("timing_msec", &IAlgorithm::getTimingMSec,
                               "float: the measured time in milliseconds.")
        .def_property_readonly("workspace_size", &IAlgorithm::getWorkspaceSize,
                               "int: bytes of scratch memory.")
        .def("get_algorithm_io_info", &IAlgorithm::getAlgorithmIOInfoByIndex, "index"_a,
             py::return_value_policy::reference_internal,
             "An operand, inputs first; None if out of range.");
}

} // namespace

void initAlgorithms(py::module_& m) {
    bindCandidates(m);
    py::class_<IAlgorithmSelector, PythonSelector>(
        m, "IAlgorithmSelector",
        "Selects among the kernels that work for each layer. Derive from this class and define "
        "both callbacks.")
        .def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def(
            "select_algorithms",
            [](py::object const& self, IAlgorithmContext const*,
               std::vector<IAlgorithm const*> const&) -> std::vector<int32_t> {
                failNoSelection(self, "select_algorithms");
            },
            "context"_a, "choices"_a, "Callback: returns the indices of allowed candidates.")
        .def(
            "report_algorithms",
            [](py::object const& self, std::vector<IAlgorithmContext const*> const&,
               std::vector<IAlgorithm const*> const&) {
                failNoSelection(self, "report_algorithms");
            },
            "contexts"_a, "choices"_a, "Callback: gets the choices, candidate i for context i.");
}

} // namespace kiln::python
