// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings.h"
#include "byte_view.h"
#include "failure.h"
#include "keep_alive.h"
#include "native_object.h"
#include "onnx_error.h"
#include "refitter.h"

namespace kiln::python {
namespace {

using nvonnxparser::IParserRefitter;
using Path = std::filesystem::path;

/// trt.OnnxParserRefitter. The refitter shares the native object, which owns weights.
struct ParserRefitterObject {
    std::shared_ptr<IParserRefitter> native;
    std::vector<std::shared_ptr<ByteView>> models; // given to load_model_proto

    IParserRefitter* operator->() const { return native.get(); }
};

/// The object through which the refitter keeps the native one alive.
struct ParserRefitterHolder {
    std::shared_ptr<IParserRefitter> native;
};

char const* orNull(std::optional<Path> const& path) {
    return path ? path->c_str() : nullptr;
}

ParserRefitterObject makeParserRefitter(RefitterObject& refitter, nvinfer1::ILogger& logger) {
    std::shared_ptr<IParserRefitter> parser(
        apiCall([&] { return nvonnxparser::createParserRefitter(*refitter.native, logger); }));
    if (parser == nullptr) {
        throw std::runtime_error(
            "[onnx] the parser refitter could not be made. The logger has the reason.");
    }
    refitter.parsers.push_back(py::cast(ParserRefitterHolder{parser}));
    return {std::move(parser), {}};
}

bool refitFromBytes(ParserRefitterObject& self, py::buffer const& model,
                    std::optional<Path> const& path) {
    ByteView const bytes(model);
    return apiCall([&] { return self->refitFromBytes(bytes.data(), bytes.size(), orNull(path)); });
}

bool loadModelProto(ParserRefitterObject& self, py::buffer const& model,
                    std::optional<Path> const& path) {
    auto const bytes = std::make_shared<ByteView>(model);
    self.models.push_back(bytes);
    return apiCall(
        [&] { return self->loadModelProto(bytes->data(), bytes->size(), orNull(path)); });
}

} // namespace

void initOnnxRefitter(py::module_& m) {
    py::class_<ParserRefitterHolder>(m, "_ParserRefitterHolder");
    py::class_<ParserRefitterObject> cls(
        m, "OnnxParserRefitter",
        "Sets the weights of a Refitter to those of an ONNX model, whose structure is that of the "
        "model that the engine was built from. Then call ``refit_cuda_engine``.");
    cls.def(py::init(&makeParserRefitter), "refitter"_a, "logger"_a, KeepAlive<1, 2>(),
            KeepAlive<1, 3>(), "refitter: Refitter of the engine. logger: ILogger.")
        .def("refit_from_bytes", &refitFromBytes, "model"_a, "path"_a = py::none(),
             "Sets the weights to those of a model; returns success.\n\nmodel: bytes of an ONNX "
             "file, any buffer. path: of the file, in whose folder external data is looked for.")
        .def(
            "refit_from_file",
            [](ParserRefitterObject& self, Path const& model) {
                return apiCall([&] { return self->refitFromFile(model.c_str()); });
            },
            "model"_a, "Sets the weights to those of the model in a file; returns success.")
        .def("load_model_proto", &loadModelProto, "model"_a, "path"_a = py::none(),
             "Loads a model for refit_model_proto; returns success.")
        .def(
            "load_initializer",
            [](ParserRefitterObject& self, std::string const& name, std::uintptr_t data,
               std::size_t size) {
                return self->loadInitializer(name.c_str(), toPointer(data), size);
            },
            "name"_a, "data"_a, "size"_a,
            "Replaces an initializer by ``size`` bytes at an address; returns success.")
        .def(
            "refit_model_proto",
            [](ParserRefitterObject& self) {
                return apiCall([&] { return self->refitModelProto(); });
            },
            "Sets the weights to those of the loaded model; returns success.")
        .def_property_readonly(
            "num_errors", [](ParserRefitterObject const& self) { return self->getNbErrors(); },
            "int: the number of errors.")
        .def(
            "get_error",
            [](ParserRefitterObject const& self, int32_t index) -> std::optional<ErrorObject> {
                nvonnxparser::IParserError const* const error = self->getError(index);
                return error == nullptr ? std::nullopt : std::optional<ErrorObject>(*error);
            },
            "index"_a, "The ParserError of a given index.")
        .def(
            "clear_errors", [](ParserRefitterObject const& self) { self->clearErrors(); },
            "Removes all errors.");
    bindOwnedObject(cls);
}

} // namespace kiln::python
