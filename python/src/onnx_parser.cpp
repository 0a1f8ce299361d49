// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings.h"
#include "byte_view.h"
#include "failure.h"
#include "keep_alive.h"
#include "native_object.h"
#include "onnx_error.h"

namespace kiln::python {
namespace {

using nvonnxparser::IParser;
using nvonnxparser::IParserError;

/// trt.OnnxParser. The network shares the native parser, which holds weights that the network
/// uses; the Python object keeps the network alive. So the two Python objects form no cycle.
struct ParserObject {
    std::shared_ptr<IParser> native;
    std::vector<std::shared_ptr<ByteView>> models; // given to load_model_proto

    IParser& operator*() const { return *native; }
    IParser* operator->() const { return native.get(); }
};

/// The object through which the network keeps the native parser alive.
struct ParserHolder {
    std::shared_ptr<IParser> native;
};

ParserObject makeParser(py::object const& network, nvinfer1::ILogger& logger) {
    auto& native = network.cast<nvinfer1::INetworkDefinition&>();
    std::shared_ptr<IParser> parser(
        apiCall([&] { return nvonnxparser::createParser(native, logger); }));
    if (parser == nullptr) {
        throw std::runtime_error("[onnx] the parser could not be made. The logger has the reason.");
    }
    py::detail::keep_alive_impl(network, py::cast(ParserHolder{parser}));
    return {std::move(parser), {}};
}

using Path = std::filesystem::path;

char const* orNull(std::optional<Path> const& path) {
    return path ? path->c_str() : nullptr;
}

bool parse(ParserObject& self, py::buffer const& model, std::optional<Path> const& path) {
    ByteView const bytes(model);
    return apiCall([&] { return self->parse(bytes.data(), bytes.size(), orNull(path)); });
}

bool parseFromFile(ParserObject& self, Path const& model) {
    auto const verbosity = static_cast<int>(nvinfer1::ILogger::Severity::kINFO);
    return apiCall([&] { return self->parseFromFile(model.c_str(), verbosity); });
}

bool supportsModel(ParserObject& self, py::buffer const& model, std::optional<Path> const& path) {
    ByteView const bytes(model);
    return apiCall([&] { return self->supportsModelV2(bytes.data(), bytes.size(), orNull(path)); });
}

std::vector<int64_t> subgraphNodes(ParserObject& self, int64_t index) {
    int64_t length = 0;
    int64_t const* const nodes = self->getSubgraphNodes(index, length);
    return nodes == nullptr ? std::vector<int64_t>{} : std::vector<int64_t>(nodes, nodes + length);
}

/// The older form of supports_model_v2, which returns the subgraphs, too.
py::tuple supportsModelWithParts(ParserObject& self, py::buffer const& model,
                                 std::optional<Path> const& path) {
    bool const whole = supportsModel(self, model, path);
    py::module_ const lists = py::module_::import("kiln._onnx_parts");
    py::object const parts = lists.attr("SubGraphCollection")();
    for (int64_t i = 0; i < self->getNbSubgraphs(); ++i) {
        py::object const nodes = lists.attr("NodeIndices")(subgraphNodes(self, i));
        parts.attr("append")(py::make_tuple(nodes, self->isSubgraphSupported(i)));
    }
    return py::make_tuple(whole, parts);
}

std::vector<std::string> pluginLibraries(ParserObject const& self) {
    int64_t count = 0;
    char const* const* const names = self->getUsedVCPluginLibraries(count);
    return names == nullptr ? std::vector<std::string>{}
                            : std::vector<std::string>(names, names + count);
}

bool loadModelProto(ParserObject& self, py::buffer const& model, std::optional<Path> const& path) {
    auto const bytes = std::make_shared<ByteView>(model);
    self.models.push_back(bytes);
    return apiCall(
        [&] { return self->loadModelProto(bytes->data(), bytes->size(), orNull(path)); });
}

std::string describe(ErrorObject const& error) {
    if (error.node < 0) {
        return fmt::format("In the model ({}): {}: {}", error.func,
                           py::cast(error.code).attr("name").cast<std::string>(), error.desc);
    }
    return fmt::format("In node {} with name: {} and operator: {} ({}): {}: {}", error.node,
                       error.nodeName, error.nodeOperator, error.func,
                       py::cast(error.code).attr("name").cast<std::string>(), error.desc);
}

/// A method that returns one value of the error.
template <typename T>
auto valueOf(T ErrorObject::* member) {
    return [member](ErrorObject const& self) { return self.*member; };
}

void bindError(py::module_& m) {
    py::class_<ErrorObject>(m, "ParserError", "Why a model could not be parsed.")
        .def("code", valueOf(&ErrorObject::code), "The ErrorCode.")
        .def("desc", valueOf(&ErrorObject::desc), "The message.")
        .def("file", valueOf(&ErrorObject::file), "The source file that reported it.")
        .def("line", valueOf(&ErrorObject::line), "The line that reported it.")
        .def("func", valueOf(&ErrorObject::func), "The function that reported it.")
        .def("node", valueOf(&ErrorObject::node), "The index of the node, -1 for none.")
        .def("node_name", valueOf(&ErrorObject::nodeName), "The name of the node.")
        .def("node_operator", valueOf(&ErrorObject::nodeOperator), "The operator of the node.")
        .def("local_function_stack", valueOf(&ErrorObject::stack),
             "The local functions around the node, outermost first.")
        .def(
            "local_function_stack_size", [](ErrorObject const& self) { return self.stack.size(); },
            "The number of local functions around the node.")
        .def("__str__", &describe)
        .def("__repr__", &describe);
}

void bindParsing(py::class_<ParserObject>& cls) {
    cls.def(py::init(&makeParser), "network"_a, "logger"_a, KeepAlive<1, 2>(), KeepAlive<1, 3>(),
            "network: INetworkDefinition, empty; the model is added to it. logger: ILogger.")
        .def("parse", &parse, "model"_a, "path"_a = py::none(),
             "Adds a model to the network; returns success. Errors: num_errors and get_error.\n\n"
             "model: bytes of an ONNX file, any buffer. path: str or path of the file, in whose "
             "folder external data is looked for. Default: the working folder.")
        .def("parse_from_file", &parseFromFile, "model"_a,
             "Adds the model in a file to the network; returns success.")
        .def(
            "parse_with_weight_descriptors",
            [](ParserObject& self, py::buffer const& model) {
                ByteView const bytes(model);
                return apiCall(
                    [&] { return self->parseWithWeightDescriptors(bytes.data(), bytes.size()); });
            },
            "model"_a, "Deprecated: use parse.")
        .def("load_model_proto", &loadModelProto, "model"_a, "path"_a = py::none(),
             "Loads a model for parse_model_proto; returns success.")
        .def(
            "load_initializer",
            [](ParserObject& self, std::string const& name, std::uintptr_t data, std::size_t size) {
                return self->loadInitializer(name.c_str(), toPointer(data), size);
            },
            "name"_a, "data"_a, "size"_a,
            "Replaces an initializer by ``size`` bytes at an address; returns success.")
        .def(
            "parse_model_proto",
            [](ParserObject& self) { return apiCall([&] { return self->parseModelProto(); }); },
            "Adds the loaded model to the network; returns success.")
        .def(
            "set_builder_config",
            [](ParserObject& self, nvinfer1::IBuilderConfig const& config) {
                return self->setBuilderConfig(&config);
            },
            "builder_config"_a, KeepAlive<1, 2>(),
            "Sets the configuration of the later build; returns success.");
}

void bindQuestions(py::class_<ParserObject>& cls) {
    cls.def("supports_model_v2", &supportsModel, "model"_a, "path"_a = py::none(),
            "Whether a model can be parsed; num_subgraphs and so on then describe its parts.")
        .def("supports_model", &supportsModelWithParts, "model"_a, "path"_a = py::none(),
             "Deprecated: use supports_model_v2. Also returns a SubGraphCollection of "
             "(NodeIndices, supported).")
        .def(
            "supports_operator",
            [](ParserObject const& self, char const* name) { return self->supportsOperator(name); },
            "op_name"_a, "Whether an operator can be parsed.")
        .def_property_readonly(
            "num_subgraphs", [](ParserObject const& self) { return self->getNbSubgraphs(); },
            "int: the number of parts that the last supports_model_v2 found.")
        .def(
            "is_subgraph_supported",
            [](ParserObject const& self, int64_t i) { return self->isSubgraphSupported(i); },
            "index"_a, "Whether a part can be parsed.")
        .def("get_subgraph_nodes", &subgraphNodes, "index"_a, "The nodes of a part, as a list.")
        .def("get_used_vc_plugin_libraries", &pluginLibraries,
             "The libraries that a version compatible plan needs, as a list.")
        .def(
            "get_layer_output_tensor",
            [](ParserObject const& self, char const* name, int64_t i) {
                return const_cast<nvinfer1::ITensor*>(self->getLayerOutputTensor(name, i));
            },
            "name"_a, "i"_a, py::return_value_policy::reference_internal,
            "Output ``i`` of the node of a given name as an ITensor, or None.");
}

void bindErrorsAndFlags(py::class_<ParserObject>& cls) {
    cls.def_property_readonly(
           "num_errors", [](ParserObject const& self) { return self->getNbErrors(); },
           "int: the number of errors of the last call.")
        .def(
            "get_error",
            [](ParserObject const& self, int index) {
                if (index < 0 || index >= self->getNbErrors()) {
                    throw py::index_error(fmt::format("[onnx] index {} is out of range for {} "
                                                      "errors",
                                                      index, self->getNbErrors()));
                }
                return ErrorObject(*self->getError(index));
            },
            "index"_a, "The ParserError of a given index.")
        .def(
            "clear_errors", [](ParserObject const& self) { self->clearErrors(); },
            "Removes all errors.")
        .def_property(
            "flags", [](ParserObject const& self) { return self->getFlags(); },
            [](ParserObject& self, nvonnxparser::OnnxParserFlags flags) { self->setFlags(flags); },
            "int: bits of OnnxParserFlag.")
        .def(
            "set_flag",
            [](ParserObject& self, nvonnxparser::OnnxParserFlag flag) { self->setFlag(flag); },
            "flag"_a, "Switches an OnnxParserFlag on.")
        .def(
            "clear_flag",
            [](ParserObject& self, nvonnxparser::OnnxParserFlag flag) { self->clearFlag(flag); },
            "flag"_a, "Switches an OnnxParserFlag off.")
        .def(
            "get_flag",
            [](ParserObject const& self, nvonnxparser::OnnxParserFlag flag) {
                return self->getFlag(flag);
            },
            "flag"_a, "Whether an OnnxParserFlag is on.");
    bindOwnedObject(cls);
}

} // namespace

void initOnnxParser(py::module_& m) {
    bindError(m);
    py::class_<ParserHolder>(m, "_ParserHolder");
    py::class_<ParserObject> cls(m, "OnnxParser",
                                 "Adds an ONNX model to a network.\n\n"
                                 "Operators that Kiln does not know become plugins of that name.");
    bindParsing(cls);
    bindQuestions(cls);
    bindErrorsAndFlags(cls);
    m.def("get_nv_onnx_parser_version", &getNvOnnxParserVersion, "The version of the parser.");
}

} // namespace kiln::python
