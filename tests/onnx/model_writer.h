// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Writes small ONNX models for tests, byte by byte, without the parser's own code.
#pragma once

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace kiln::onnx {

// Element types of ONNX that tests use.
constexpr int32_t kOnnxFloat = 1;
constexpr int32_t kOnnxInt64 = 7;
constexpr int32_t kOnnxString = 8;
constexpr int32_t kOnnxBool = 9;
constexpr int32_t kOnnxFloat16 = 10;
constexpr int32_t kOnnxDouble = 11;

// A serialized AttributeProto.
using AttributeBytes = std::string;

inline AttributeBytes intAttribute(std::string const& name, int64_t value) {
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_string(1, name);
    writer.add_int64(3, value);
    writer.add_int32(20, 2);
    return bytes;
}

inline AttributeBytes floatAttribute(std::string const& name, float value) {
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_string(1, name);
    writer.add_float(2, value);
    writer.add_int32(20, 1);
    return bytes;
}

inline AttributeBytes stringAttribute(std::string const& name, std::string const& value) {
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_string(1, name);
    writer.add_string(4, value);
    writer.add_int32(20, 3);
    return bytes;
}

inline AttributeBytes intsAttribute(std::string const& name, std::vector<int64_t> const& values) {
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_string(1, name);
    writer.add_packed_int64(8, values.begin(), values.end());
    writer.add_int32(20, 7);
    return bytes;
}

// An attribute that holds a graph, by default an empty one.
inline AttributeBytes graphAttribute(std::string const& name, std::string const& graph = "") {
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_string(1, name);
    writer.add_message(6, graph);
    writer.add_int32(20, 5);
    return bytes;
}

// In a function: an attribute whose value is that of another one of the call.
inline AttributeBytes referenceAttribute(std::string const& name, std::string const& source,
                                         int32_t type) {
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_string(1, name);
    writer.add_int32(20, type);
    writer.add_string(21, source);
    return bytes;
}

class ModelWriter {
public:
    explicit ModelWriter(int64_t opset) : opset_(opset) {}

    // Extent -1 is written as the named dimension "N".
    ModelWriter& input(std::string const& name, std::vector<int64_t> const& dims,
                       int32_t type = kOnnxFloat) {
        protozero::pbf_writer(graph_).add_message(11, valueInfo(name, dims, type));
        return *this;
    }

    ModelWriter& output(std::string const& name) {
        protozero::pbf_writer(graph_).add_message(12, valueInfo(name, {}, kOnnxFloat));
        return *this;
    }

    template <typename Element>
    ModelWriter& initializer(std::string const& name, std::vector<int64_t> const& dims,
                             std::vector<Element> const& elements, int32_t type) {
        std::string raw(elements.size() * sizeof(Element), '\0');
        if (!elements.empty()) {
            std::memcpy(raw.data(), elements.data(), raw.size());
        }
        std::string tensor;
        protozero::pbf_writer writer(tensor);
        writer.add_packed_int64(1, dims.begin(), dims.end());
        writer.add_int32(2, type);
        writer.add_string(8, name);
        writer.add_bytes(9, raw);
        protozero::pbf_writer(graph_).add_message(5, tensor);
        return *this;
    }

    // Floats 0, 1, 2, ...
    ModelWriter& weights(std::string const& name, std::vector<int64_t> const& dims) {
        int64_t count = 1;
        for (int64_t const extent : dims) {
            count *= extent;
        }
        std::vector<float> elements(static_cast<size_t>(count));
        for (size_t i = 0; i < elements.size(); ++i) {
            elements[i] = static_cast<float>(i);
        }
        return initializer(name, dims, elements, kOnnxFloat);
    }

    ModelWriter& integers(std::string const& name, std::vector<int64_t> const& values) {
        return initializer(name, {static_cast<int64_t>(values.size())}, values, kOnnxInt64);
    }

    // An initializer whose elements are in a file.
    ModelWriter& external(std::string const& name, std::vector<int64_t> const& dims,
                          std::vector<std::pair<std::string, std::string>> const& entries) {
        std::string tensor;
        protozero::pbf_writer writer(tensor);
        writer.add_packed_int64(1, dims.begin(), dims.end());
        writer.add_int32(2, kOnnxFloat);
        writer.add_string(8, name);
        writer.add_int32(14, 1);
        for (auto const& [key, value] : entries) {
            std::string entry;
            protozero::pbf_writer(entry).add_string(1, key);
            protozero::pbf_writer(entry).add_string(2, value);
            writer.add_message(13, entry);
        }
        protozero::pbf_writer(graph_).add_message(5, tensor);
        return *this;
    }

    ModelWriter& node(std::string const& opType, std::string const& name,
                      std::vector<std::string> const& inputs,
                      std::vector<std::string> const& outputs,
                      std::vector<AttributeBytes> const& attributes = {},
                      std::string const& domain = "") {
        std::string bytes;
        protozero::pbf_writer writer(bytes);
        for (std::string const& input : inputs) {
            writer.add_string(1, input);
        }
        for (std::string const& output : outputs) {
            writer.add_string(2, output);
        }
        writer.add_string(3, name);
        writer.add_string(4, opType);
        for (AttributeBytes const& attribute : attributes) {
            writer.add_message(5, attribute);
        }
        if (!domain.empty()) {
            writer.add_string(7, domain);
        }
        protozero::pbf_writer(graph_).add_message(1, bytes);
        return *this;
    }

    // A function of the domain "local", with the nodes of `body`.
    ModelWriter& function(std::string const& name, std::vector<std::string> const& inputs,
                          std::vector<std::string> const& outputs, ModelWriter const& body) {
        std::string bytes;
        protozero::pbf_writer writer(bytes);
        writer.add_string(1, name);
        for (std::string const& input : inputs) {
            writer.add_string(4, input);
        }
        for (std::string const& output : outputs) {
            writer.add_string(5, output);
        }
        protozero::pbf_reader nodes(body.graph_);
        while (nodes.next(1)) {
            writer.add_message(7, nodes.get_view());
        }
        std::string opset;
        protozero::pbf_writer(opset).add_int64(2, body.opset_);
        writer.add_message(9, opset);
        writer.add_string(10, "local");
        protozero::pbf_writer(functions_).add_message(25, bytes);
        return *this;
    }

    // A node that calls a function.
    ModelWriter& call(std::string const& function, std::vector<std::string> const& inputs,
                      std::vector<std::string> const& outputs,
                      std::vector<AttributeBytes> const& attributes = {}) {
        return node(function, "", inputs, outputs, attributes, "local");
    }

    // The graph, for graphAttribute().
    std::string const& graph() const { return graph_; }

    std::string bytes() const {
        std::string opset;
        protozero::pbf_writer(opset).add_int64(2, opset_);
        std::string model;
        protozero::pbf_writer writer(model);
        writer.add_int64(1, 9);
        writer.add_message(7, graph_);
        writer.add_message(8, opset);
        return model + functions_;
    }

private:
    static std::string valueInfo(std::string const& name, std::vector<int64_t> const& dims,
                                 int32_t type) {
        std::string shape;
        for (int64_t const extent : dims) {
            std::string dimension;
            if (extent >= 0) {
                protozero::pbf_writer(dimension).add_int64(1, extent);
            } else {
                protozero::pbf_writer(dimension).add_string(2, "N");
            }
            protozero::pbf_writer(shape).add_message(1, dimension);
        }
        std::string tensorType;
        protozero::pbf_writer(tensorType).add_int32(1, type);
        protozero::pbf_writer(tensorType).add_message(2, shape);
        std::string typeProto;
        protozero::pbf_writer(typeProto).add_message(1, tensorType);
        std::string info;
        protozero::pbf_writer(info).add_string(1, name);
        protozero::pbf_writer(info).add_message(2, typeProto);
        return info;
    }

    int64_t opset_;
    std::string graph_;
    std::string functions_;
};

} // namespace kiln::onnx
