// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "refitter.h"

#include <array>
#include <stdexcept>
#include <utility>

#include <pybind11/stl.h>

#include "bindings.h"
#include "deprecated.h"
#include "failure.h"
#include "keep_alive.h"
#include "native_object.h"

namespace kiln::python {
namespace {

using nvinfer1::ICudaEngine;
using nvinfer1::IRefitter;
using nvinfer1::TensorLocation;
using nvinfer1::WeightsRole;

using RefitterClass = py::class_<RefitterObject>;

RefitterObject makeRefitter(ICudaEngine& engine, nvinfer1::ILogger& logger) {
    RefitterObject made;
    made.native.reset(apiCall([&] { return nvinfer1::createInferRefitter(engine, logger); }));
    if (made.native == nullptr) {
        throw std::runtime_error(
            "[refit] the refitter could not be made. The logger has the reason.");
    }
    return made;
}

bool setWeights(RefitterObject& self, std::string const& layer, WeightsRole role,
                WeightsArgument const& weights) {
    WeightsObject own = toWeights(weights);
    if (!self.native->setWeights(layer.c_str(), role, own.native)) {
        return false;
    }
    self.others.push_back(std::move(own));
    return true;
}

bool setNamedWeights(RefitterObject& self, std::string const& name, WeightsArgument const& weights,
                     TensorLocation location) {
    WeightsObject own = toWeights(weights);
    if (!self.native->setNamedWeights(name.c_str(), own.native, location)) {
        return false;
    }
    self.named[name] = std::move(own);
    return true;
}

bool unsetNamedWeights(RefitterObject& self, std::string const& name) {
    bool const done = self.native->unsetNamedWeights(name.c_str());
    if (done) {
        self.named.erase(name);
    }
    return done;
}

bool refit(RefitterObject& self, std::uintptr_t stream) {
    bool const done = apiCall([&] {
        return self.native->refitCudaEngineAsync(static_cast<cudaStream_t>(toPointer(stream)));
    });
    if (done) { // the refitter has forgotten them, too
        self.named.clear();
        self.others.clear();
    }
    return done;
}

using Descriptions = std::pair<std::vector<std::string>, std::vector<WeightsRole>>;

template <auto List>
Descriptions describe(RefitterObject& self) {
    auto const size = static_cast<std::size_t>((self.native.get()->*List)(0, nullptr, nullptr));
    std::vector<char const*> layers(size);
    std::vector<WeightsRole> roles(size);
    (self.native.get()->*List)(static_cast<int32_t>(size), layers.data(), roles.data());
    return {{layers.begin(), layers.end()}, std::move(roles)};
}

template <auto List>
std::vector<std::string> names(RefitterObject& self) {
    auto const size = static_cast<std::size_t>((self.native.get()->*List)(0, nullptr));
    std::vector<char const*> all(size);
    (self.native.get()->*List)(static_cast<int32_t>(size), all.data());
    return {all.begin(), all.end()};
}

WeightsObject namedWeights(RefitterObject& self, std::string const& name) {
    nvinfer1::Weights const weights = self.native->getNamedWeights(name.c_str());
    auto const kept = self.named.find(name);
    return {weights, kept == self.named.end() ? py::object() : kept->second.owner};
}

void bindWeights(RefitterClass& cls) {
    cls.def("set_weights", &setWeights, "layer_name"_a, "role"_a, "weights"_a,
            "Sets weights of a layer by WeightsRole; returns success. They are kept until the "
            "engine is refitted.")
        .def("set_named_weights", &setNamedWeights, "name"_a, "weights"_a,
             py::arg_v("location", TensorLocation::kHOST, "TensorLocation.HOST"),
             "Sets weights by name; returns success. Weights of addresses may be on the DEVICE.")
        .def("unset_named_weights", &unsetNamedWeights, "weights_name"_a,
             "Undoes set_named_weights; returns success.")
        .def("get_named_weights", &namedWeights, "weights_name"_a,
             "The Weights that were set by name; without values if none were.")
        .def(
            "get_weights_location",
            [](RefitterObject& self, std::string const& name) {
                return self.native->getWeightsLocation(name.c_str());
            },
            "weights_name"_a, "The TensorLocation of weights that were set by name.")
        .def(
            "get_weights_prototype",
            [](RefitterObject& self, std::string const& name) {
                return WeightsObject{self.native->getWeightsPrototype(name.c_str()), {}};
            },
            "weights_name"_a,
            "Weights without values: the dtype and the size that new ones need. Size -1: the name "
            "is unknown.")
        .def("get_missing", &describe<&IRefitter::getMissing>,
             "What must be set before the engine can be refitted: names of layers, WeightsRoles.")
        .def("get_all", &describe<&IRefitter::getAll>,
             "What can be set: names of layers, WeightsRoles.")
        .def("get_missing_weights", &names<&IRefitter::getMissingWeights>,
             "The names of weights that must be set before the engine can be refitted.")
        .def("get_all_weights", &names<&IRefitter::getAllWeights>,
             "The names of weights that can be set.");
}

void bindRanges(RefitterClass& cls) {
    cls.def(
           "set_dynamic_range",
           [](RefitterObject& self, std::string const& tensor, std::array<float, 2> range) {
               return self.native->setDynamicRange(tensor.c_str(), range[0], range[1]);
           },
           "tensor_name"_a, "range"_a,
           "Deprecated: sets the range of a quantized tensor; returns success.")
        .def(
            "get_dynamic_range",
            [](RefitterObject& self, std::string const& tensor) {
                return std::pair(self.native->getDynamicRangeMin(tensor.c_str()),
                                 self.native->getDynamicRangeMax(tensor.c_str()));
            },
            "tensor_name"_a, "Deprecated: the range of a quantized tensor; NaN if it has none.")
        .def("get_tensors_with_dynamic_range", &names<&IRefitter::getTensorsWithDynamicRange>,
             "Deprecated: the names of quantized tensors whose range can change.");
}

void bindSettings(RefitterClass& cls) {
    cls.def(
           "refit_cuda_engine", [](RefitterObject& self) { return refit(self, 0); },
           "Gives the engine and its contexts the weights that were set; returns success.")
        .def("refit_cuda_engine_async", &refit, "stream_handle"_a,
             "The same after the work on a stream, which may write the weights.")
        .def_property(
            "error_recorder",
            [](RefitterObject const& self) { return self.native->getErrorRecorder(); },
            py::cpp_function(
                [](RefitterObject& self, nvinfer1::IErrorRecorder* recorder) {
                    self.native->setErrorRecorder(recorder);
                },
                KeepAlive<1, 2>()),
            "IErrorRecorder | None: gets the errors of this refitter.")
        .def_property_readonly(
            "logger", [](RefitterObject const& self) { return self.native->getLogger(); },
            py::return_value_policy::reference, "ILogger: gets the messages.")
        .def_property(
            "max_threads", [](RefitterObject const& self) { return self.native->getMaxThreads(); },
            [](RefitterObject& self, int32_t count) { return self.native->setMaxThreads(count); },
            "int: the number of threads that a refit may use.")
        .def_property(
            "weights_validation",
            [](RefitterObject const& self) { return self.native->getWeightsValidation(); },
            [](RefitterObject& self, bool on) { self.native->setWeightsValidation(on); },
            "bool: whether the log tells of weights that the engine's type cannot hold.");
    bindOwnedObject(cls);
}

} // namespace

void initRefitter(py::module_& m) {
    RefitterClass cls(m, "Refitter",
                      "Replaces weights of an engine that was built for refit.\n\n"
                      "Example: ``trt.Refitter(engine, logger).set_named_weights('w', array)``, "
                      "then ``refit_cuda_engine()``.");
    cls.def(py::init(&makeRefitter), "engine"_a, "logger"_a, KeepAlive<1, 2>(), KeepAlive<1, 3>(),
            "engine: ICudaEngine, built with BuilderFlag REFIT, REFIT_IDENTICAL, REFIT_INDIVIDUAL "
            "or STRIP_PLAN. logger: ILogger.");
    bindWeights(cls);
    bindRanges(cls);
    bindSettings(cls);
}

} // namespace kiln::python
