// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// The readers of ONNX messages: what they read, and that damage gives an error, never a crash.

#include "onnx/proto/field_reader.h"
#include "onnx/proto/readers.h"

#include <protozero/pbf_writer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

namespace kiln::onnx {
namespace {

using protozero::pbf_writer;
using testing::ElementsAre;
using testing::HasSubstr;

// TensorProto of two floats in float_data, packed.
std::string tensorBytes() {
    std::string bytes;
    pbf_writer tensor(bytes);
    tensor.add_int64(1, 2);
    tensor.add_int32(2, 1);
    std::array<float, 2> const data{1.5F, -2.0F};
    tensor.add_packed_float(4, data.begin(), data.end());
    tensor.add_string(8, "weights");
    return bytes;
}

std::string attributeBytes() {
    std::string bytes;
    pbf_writer attribute(bytes);
    attribute.add_string(1, "pads");
    std::array<int64_t, 4> const pads{1, 0, 300, -1};
    attribute.add_packed_int64(8, pads.begin(), pads.end());
    attribute.add_int32(20, 7);
    return bytes;
}

std::string valueInfoBytes() {
    std::string extent;
    pbf_writer(extent).add_string(2, "N");
    std::string fixedExtent;
    pbf_writer(fixedExtent).add_int64(1, 8);
    std::string shape;
    pbf_writer(shape).add_message(1, extent);
    pbf_writer(shape).add_message(1, fixedExtent);
    std::string tensorType;
    pbf_writer(tensorType).add_int32(1, 1);
    pbf_writer(tensorType).add_message(2, shape);
    std::string type;
    pbf_writer(type).add_message(1, tensorType);
    std::string bytes;
    pbf_writer(bytes).add_string(1, "x");
    pbf_writer(bytes).add_message(2, type);
    return bytes;
}

// A model with a node, an attribute, an initializer, an input and an operator set.
std::string modelBytes() {
    std::string node;
    pbf_writer(node).add_string(1, "x");
    pbf_writer(node).add_string(2, "y");
    pbf_writer(node).add_string(3, "pad1");
    pbf_writer(node).add_string(4, "CircPadPlugin");
    pbf_writer(node).add_message(5, attributeBytes());
    std::string graph;
    pbf_writer(graph).add_message(1, node);
    pbf_writer(graph).add_string(2, "graph");
    pbf_writer(graph).add_message(5, tensorBytes());
    pbf_writer(graph).add_message(11, valueInfoBytes());
    std::string opset;
    pbf_writer(opset).add_string(1, "ai.onnx");
    pbf_writer(opset).add_int64(2, 19);
    std::string model;
    pbf_writer(model).add_int64(1, 9);
    pbf_writer(model).add_message(7, graph);
    pbf_writer(model).add_message(8, opset);
    return model;
}

template <typename Read>
std::string messageOf(Read&& read) {
    try {
        read();
    } catch (FormatError const& error) {
        return error.what();
    }
    return "(no error)";
}

TEST(OnnxProto, ReadsAModel) {
    std::string const bytes = modelBytes();
    ModelProto const model = readModel(bytes);
    EXPECT_EQ(model.irVersion, 9);
    EXPECT_EQ(model.opsets.at(""), 19);
    ASSERT_TRUE(model.graph);
    ASSERT_EQ(model.graph->nodes.size(), 1U);
    NodeProto const& node = model.graph->nodes[0];
    EXPECT_EQ(node.name, "pad1");
    EXPECT_EQ(node.opType, "CircPadPlugin");
    EXPECT_THAT(node.inputs, ElementsAre("x"));
    EXPECT_THAT(node.outputs, ElementsAre("y"));
    ASSERT_EQ(node.attributes.size(), 1U);
    EXPECT_EQ(node.attributes[0].type, AttributeType::kInts);
    EXPECT_THAT(node.attributes[0].ints, ElementsAre(1, 0, 300, -1));
    ASSERT_EQ(model.graph->initializers.size(), 1U);
    EXPECT_THAT(model.graph->initializers[0].floatData, ElementsAre(1.5F, -2.0F));
    ASSERT_EQ(model.graph->inputs.size(), 1U);
    ValueInfoProto const& input = model.graph->inputs[0];
    EXPECT_EQ(input.type, ElementType::kFloat);
    ASSERT_TRUE(input.shape);
    ASSERT_EQ(input.shape->size(), 2U);
    EXPECT_EQ((*input.shape)[0].name, "N");
    EXPECT_FALSE((*input.shape)[0].value);
    EXPECT_EQ((*input.shape)[1].value, 8);
}

TEST(OnnxProto, ReadsUnpackedRepeatedFields) {
    std::string bytes;
    pbf_writer attribute(bytes);
    attribute.add_int64(8, 3);
    attribute.add_int64(8, -4);
    AttributeProto const read = readAttribute(bytes);
    EXPECT_EQ(read.type, AttributeType::kInts); // inferred: the field `type` is absent
    EXPECT_THAT(read.ints, ElementsAre(3, -4));
}

TEST(OnnxProto, SkipsUnknownFields) {
    std::string bytes;
    pbf_writer tensor(bytes);
    tensor.add_string(500, "from a later version");
    tensor.add_fixed64(501, 7);
    tensor.add_string(8, "weights");
    EXPECT_EQ(readTensor(bytes).name, "weights");
}

TEST(OnnxProto, KeepsRawDataAsAView) {
    std::string bytes;
    pbf_writer(bytes).add_bytes(9, std::string("\1\2\3", 3));
    TensorProto const tensor = readTensor(bytes);
    ASSERT_TRUE(tensor.rawData);
    EXPECT_GE(tensor.rawData->data(), bytes.data());
    EXPECT_LE(tensor.rawData->data() + 3, bytes.data() + bytes.size());
}

// Every prefix is either an error or, where it ends between two fields, a shorter model. The copy
// of exact size lets the address sanitizer see a read past the end.
TEST(OnnxProto, TruncatedAtEveryByte) {
    std::string const whole = modelBytes();
    size_t errors = 0;
    for (size_t size = 0; size < whole.size(); ++size) {
        auto const prefix = std::make_unique<char[]>(size);
        whole.copy(prefix.get(), size);
        try {
            readModel({prefix.get(), size});
        } catch (FormatError const& error) {
            ++errors;
            EXPECT_THAT(error.what(), HasSubstr("ModelProto"));
        }
    }
    // Three of the cuts lie between top-level fields (the empty prefix among them).
    EXPECT_EQ(errors, whole.size() - 3);
}

TEST(OnnxProto, FlippedBitsNeverCrash) {
    std::string const whole = modelBytes();
    for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
        std::string damaged = whole;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
        try {
            readModel(damaged);
        } catch (FormatError const& error) {
            EXPECT_THAT(error.what(), HasSubstr("field '"));
        }
    }
}

TEST(OnnxProto, LengthPastTheEnd) {
    std::string const bytes("\x3a\x7f", 2); // field 7 (graph) of 127 bytes, none of which follow
    EXPECT_THAT(messageOf([&] { readModel(bytes); }),
                HasSubstr("ModelProto, field 'graph': damaged or cut off"));
}

TEST(OnnxProto, LengthOfFourGigabytes) {
    std::string const bytes("\x3a\xff\xff\xff\xff\x0f", 6);
    EXPECT_THAT(messageOf([&] { readModel(bytes); }), HasSubstr("field 'graph'"));
}

TEST(OnnxProto, VarintWithoutAnEnd) {
    std::string const bytes = "\x08" + std::string(11, '\xff');
    EXPECT_THAT(messageOf([&] { readModel(bytes); }), HasSubstr("field 'ir_version'"));
}

TEST(OnnxProto, PackedFloatsOfOddLength) {
    std::string const bytes("\x22\x03\0\0\0", 5); // float_data of 3 bytes
    EXPECT_THAT(messageOf([&] { readTensor(bytes); }), HasSubstr("field 'float_data'"));
}

TEST(OnnxProto, WrongWireTypeOfAMessage) {
    std::string bytes;
    pbf_writer(bytes).add_int64(7, 1);
    EXPECT_EQ(messageOf([&] { readModel(bytes); }),
              "ModelProto, field 'graph': expected wire type length-delimited, got varint");
}

TEST(OnnxProto, WrongWireTypeOfANumber) {
    std::string bytes;
    pbf_writer(bytes).add_string(1, "nine");
    EXPECT_EQ(messageOf([&] { readModel(bytes); }),
              "ModelProto, field 'ir_version': expected wire type varint, got length-delimited");
}

TEST(OnnxProto, WrongWireTypeOfARepeatedNumber) {
    std::string bytes;
    pbf_writer(bytes).add_fixed64(4, 1); // float_data takes 32-bit or packed
    EXPECT_EQ(messageOf([&] { readTensor(bytes); }),
              "TensorProto, field 'float_data': expected wire type 32-bit, got 64-bit");
}

TEST(OnnxProto, ThirtyTwoBitFieldOutOfRange) {
    std::string bytes;
    pbf_writer(bytes).add_int64(2, int64_t{1} << 40);
    EXPECT_THAT(messageOf([&] { readTensor(bytes); }), HasSubstr("expected a 32-bit value"));
}

TEST(OnnxProto, GarbageIsAnError) {
    EXPECT_NE(messageOf([] { readModel("this is not a model"); }), "(no error)");
    EXPECT_NE(messageOf([] { readModel(std::string(64, '\0')); }), "(no error)");
}

TEST(OnnxProto, NodesThatDoNothing) {
    std::string const blank("\x0a\0", 2); // field 1 (node) of 0 bytes
    EXPECT_EQ(messageOf([&] { readGraph(blank); }),
              "NodeProto '', field 'op_type': expected the name of an operator, got none");
    std::string node;
    pbf_writer(node).add_string(3, "lost");
    pbf_writer(node).add_string(4, "Identity");
    EXPECT_EQ(
        messageOf([&] { readNode(node); }),
        "NodeProto 'lost' (Identity), field 'output': expected outputs or inputs, got neither");
}

// Two bytes of the file each, but hundreds once they are read.
TEST(OnnxProto, MessagesWithoutANameTakeNoMemory) {
    std::string graph;
    std::string node;
    pbf_writer(node).add_string(2, "y");
    pbf_writer(node).add_string(4, "Constant");
    for (int i = 0; i < 1000; ++i) {
        for (uint32_t const field : {5U, 13U, 15U}) { // initializer, value_info, sparse_initializer
            pbf_writer(graph).add_message(field, std::string());
        }
        pbf_writer(node).add_message(5, std::string());
    }
    pbf_writer(graph).add_message(1, node);
    GraphProto const read = readGraph(graph);
    EXPECT_TRUE(read.initializers.empty());
    EXPECT_TRUE(read.values.empty());
    EXPECT_TRUE(read.sparseInitializers.empty());
    EXPECT_TRUE(read.nodes.at(0).attributes.empty());
}

// A subgraph inside a subgraph inside ... is kept as bytes, so depth costs no stack.
// Graphs inside each other, `depth` of them.
std::string nestedGraphs(int depth) {
    std::string graph;
    for (int i = 0; i < depth; ++i) {
        std::string attribute;
        pbf_writer(attribute).add_string(1, "body");
        pbf_writer(attribute).add_message(6, graph);
        std::string node;
        pbf_writer(node).add_string(2, "y");
        pbf_writer(node).add_string(4, "Inner");
        pbf_writer(node).add_message(5, attribute);
        graph.clear();
        pbf_writer(graph).add_message(1, node);
    }
    return graph;
}

TEST(OnnxProto, DeeplyNestedSubgraphs) {
    GraphProto const read = readGraph(nestedGraphs(kDeepestGraph));
    ASSERT_EQ(read.nodes.size(), 1U);
    AttributeProto const& attribute = read.nodes[0].attributes.at(0);
    EXPECT_EQ(attribute.type, AttributeType::kGraph);
    EXPECT_EQ(attribute.graph->nodes.size(), 1U);
    EXPECT_THROW(readGraph(nestedGraphs(kDeepestGraph + 1)), FormatError);
    EXPECT_THROW(readGraph(nestedGraphs(10000)), FormatError);
}

TEST(OnnxProto, Functions) {
    std::string attribute;
    pbf_writer(attribute).add_string(1, "alpha");
    pbf_writer(attribute).add_string(21, "a");
    std::string node;
    pbf_writer(node).add_string(2, "y");
    pbf_writer(node).add_string(4, "Relu");
    pbf_writer(node).add_message(5, attribute);
    pbf_writer(node).add_string(8, "second");
    std::string opset;
    pbf_writer(opset).add_int64(2, 17);
    std::string bytes;
    pbf_writer function(bytes);
    function.add_string(1, "f");
    function.add_string(4, "x");
    function.add_string(5, "y");
    function.add_message(7, node);
    function.add_message(9, opset);
    function.add_string(10, "local");
    function.add_message(11, attributeBytes());
    function.add_string(13, "first");
    FunctionProto const read = readFunction(bytes);
    EXPECT_EQ(read.name + read.domain + read.overload, "flocalfirst");
    EXPECT_THAT(read.inputs, ElementsAre("x"));
    EXPECT_THAT(read.outputs, ElementsAre("y"));
    EXPECT_EQ(read.opsets.at(""), 17);
    EXPECT_EQ(read.defaults.at(0).name, "pads");
    EXPECT_EQ(read.nodes.at(0).overload, "second");
    EXPECT_EQ(read.nodes[0].attributes.at(0).refName, "a");
}

} // namespace
} // namespace kiln::onnx
