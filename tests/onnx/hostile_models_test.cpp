// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Untrusted models: numbers and counts that an importer must check.

#include "onnx/importer_registry.h"
#include "onnx/operator_table.h"
#include "onnx/parser_harness.h"

#include <gmock/gmock.h>

#include <ctime>
#include <limits>

namespace kiln::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using HostileModels = ParserTest;

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();

// A model of one node over x [2, 3, 4].
class OneNode {
public:
    OneNode(int64_t opset, std::string type) : model(opset), type_(std::move(type)) {
        model.input("x", {2, 3, 4});
    }
    ModelWriter finished(std::vector<std::string> const& inputs,
                         std::vector<AttributeBytes> const& attributes = {},
                         std::vector<std::string> const& outputs = {"y"}) {
        model.node(type_, "node", inputs, outputs, attributes);
        model.output("y");
        return model;
    }

    ModelWriter model;

private:
    std::string type_;
};

TEST_F(HostileModels, PadWithRepeatedAxes) {
    for (size_t count : {2, 9, 64, 1000}) {
        startOver();
        OneNode one(18, "Pad");
        one.model.integers("pads", std::vector<int64_t>(2 * count, 0x4141414141))
            .integers("axes", std::vector<int64_t>(count, 1))
            .initializer<float>("zero", {}, {0.0F}, kOnnxFloat);
        EXPECT_FALSE(parse(one.finished({"x", "pads", "zero", "axes"}))) << count;
        EXPECT_THAT(error, testing::AnyOf(HasSubstr("axes: expected each once, got 1 twice"),
                                          HasSubstr("elements at most, got")));
    }
}

TEST_F(HostileModels, PadOfOldOperatorSets) {
    OneNode one(10, "Pad");
    EXPECT_FALSE(parse(one.finished({"x"}, {intsAttribute("pads", std::vector<int64_t>(20, 1))})));
    EXPECT_THAT(error, HasSubstr("pads: expected 6 numbers, got"));
    startOver();
    OneNode overflow(10, "Pad");
    overflow.model.input("long", {kHuge});
    EXPECT_FALSE(parse(overflow.finished({"long"}, {intsAttribute("pads", {1, 1})})));
    EXPECT_THAT(error, HasSubstr("passes 64 bits"));
}

struct AxesCase {
    char const* type;
    int64_t opset;
};

TEST_F(HostileModels, AxesOutOfRangeOrRepeated) {
    for (AxesCase const& entry : {AxesCase{"Squeeze", 13}, AxesCase{"Unsqueeze", 13},
                                  AxesCase{"ReduceSum", 13}, AxesCase{"ReduceMean", 18}}) {
        for (std::vector<int64_t> const& axes :
             {std::vector<int64_t>{0, 0}, std::vector<int64_t>{kHuge},
              std::vector<int64_t>{kLowest}, std::vector<int64_t>{int64_t{1} << 32},
              std::vector<int64_t>(9, 0), std::vector<int64_t>(100000, 0)}) {
            startOver();
            OneNode one(entry.opset, entry.type);
            one.model.integers("axes", axes);
            EXPECT_FALSE(parse(one.finished({"x", "axes"}))) << entry.type << axes.size();
        }
    }
}

TEST_F(HostileModels, AttributesThatNeed64Bits) {
    for (int64_t const axis : {int64_t{1} << 32, kHuge, kLowest}) {
        for (char const* type : {"Concat", "Softmax", "Flatten", "Split", "Gather"}) {
            startOver();
            OneNode one(13, type);
            one.model.integers("i", {0});
            std::vector<std::string> inputs{"x"};
            if (std::string(type) == "Gather") {
                inputs.emplace_back("i");
            }
            EXPECT_FALSE(parse(one.finished(inputs, {intAttribute("axis", axis)}))) << type;
            EXPECT_THAT(error, HasSubstr("axis: expected -3 .. 2, got ")) << type;
        }
    }
    startOver();
    OneNode shared(13, "GatherND");
    shared.model.input("i", {2, 1}, kOnnxInt64);
    EXPECT_FALSE(
        parse(shared.finished({"x", "i"}, {intAttribute("batch_dims", int64_t{1} << 32)})));
    EXPECT_THAT(error, HasSubstr("attribute 'batch_dims': expected a number of 32 bits"));
    startOver();
    EXPECT_FALSE(parse(OneNode(13, "Cast").finished({"x"}, {intAttribute("to", (1LL << 32) + 1)})));
    EXPECT_THAT(error, HasSubstr("attribute 'to': expected a number of 32 bits"));
}

TEST_F(HostileModels, WindowsThatPass64Bits) {
    for (char const* name : {"strides", "dilations", "kernel_shape", "pads"}) {
        startOver();
        std::vector<AttributeBytes> attributes{
            intAttribute("ceil_mode", 1),
            intsAttribute(name, std::vector<int64_t>(std::string(name) == "pads" ? 2 : 1, kHuge))};
        if (std::string(name) != "kernel_shape") {
            attributes.push_back(intsAttribute("kernel_shape", {2}));
        }
        EXPECT_FALSE(parse(OneNode(18, "MaxPool").finished({"x"}, attributes))) << name;
        EXPECT_THAT(error, HasSubstr(std::string("attribute '") + name + "': expected "));
    }
    startOver();
    OneNode groups(13, "Conv");
    groups.model.weights("w", {4, 3, 1});
    EXPECT_FALSE(parse(groups.finished({"x", "w"}, {intAttribute("group", kHuge)})));
}

TEST_F(HostileModels, ExtentsWhoseProductPasses64Bits) {
    for (char const* type : {"Size", "Flatten"}) {
        startOver();
        OneNode one(13, type);
        one.model.input("big", {1, int64_t{1} << 40, int64_t{1} << 40});
        EXPECT_FALSE(parse(one.finished({"big"}))) << type;
        EXPECT_THAT(error, HasSubstr("passes 64 bits")) << type;
    }
}

TEST_F(HostileModels, StartsOfUnknownLength) {
    OneNode one(13, "Slice");
    one.model.input("starts", {int64_t{1} << 40}, kOnnxInt64).integers("ends", {1});
    EXPECT_FALSE(parse(one.finished({"x", "starts", "ends"})));
    EXPECT_THAT(error, HasSubstr("starts: expected 8 dimensions at most, got 1099511627776"));
}

TEST_F(HostileModels, SliceBackwardsOfNothing) {
    OneNode one(13, "Slice");
    one.model.input("none", {0}).integers("starts", {-1}).integers("ends", {-9});
    one.model.integers("axes", {0}).integers("steps", {-1});
    ASSERT_TRUE(parse(one.finished({"none", "starts", "ends", "axes", "steps"}))) << error;
    EXPECT_THAT(outputShape(), ElementsAre(0));
}

TEST_F(HostileModels, TooFewInputs) {
    for (std::string const& type : ImporterRegistry::all().names()) {
        OperatorVersion const* const version = findOperator(type, 13);
        if (version == nullptr || version->since > 13 || version->inputs.least == 0) {
            continue;
        }
        startOver();
        EXPECT_FALSE(parse(OneNode(13, type.c_str()).finished({}))) << type;
        EXPECT_THAT(error, HasSubstr("node 'node' (" + type + "): expected ")) << type;
        EXPECT_THAT(error, HasSubstr("in operator set 13, got 0.")) << type;
    }
    startOver();
    EXPECT_FALSE(parse(OneNode(13, "Where").finished({"x", "x"})));
    EXPECT_THAT(error, HasSubstr("expected 3 inputs of Where in operator set 13, got 2."));
    startOver();
    EXPECT_FALSE(parse(OneNode(13, "Add").finished({"x", ""})));
    EXPECT_THAT(error, HasSubstr("expected input 1"));
}

TEST_F(HostileModels, TooManyInputs) {
    EXPECT_FALSE(parse(OneNode(13, "Relu").finished({"x", "x"})));
    EXPECT_THAT(error, HasSubstr("expected 1 inputs of Relu in operator set 13, got 2."));
    startOver();
    EXPECT_FALSE(parse(OneNode(13, "Pad").finished({"x", "x", "x", "x"})));
    EXPECT_THAT(error, HasSubstr("expected 2 to 3 inputs of Pad in operator set 13, got 4."));
}

TEST_F(HostileModels, WrongNumberOfOutputs) {
    for (char const* type : {"Split", "Relu"}) {
        startOver();
        EXPECT_FALSE(parse(OneNode(13, type).finished({"x"}, {}, {})));
        EXPECT_THAT(error, HasSubstr("in operator set 13, got 0."));
    }
    startOver();
    EXPECT_FALSE(parse(OneNode(13, "Relu").finished({"x"}, {}, {"y", "z"})));
    EXPECT_THAT(error, HasSubstr("expected 1 outputs of Relu in operator set 13, got 2."));
}

TEST_F(HostileModels, ConstantsWithoutElements) {
    OneNode one(13, "Dropout");
    one.model.initializer<float>("ratio", {}, {0.5F}, kOnnxFloat)
        .initializer<uint8_t>("training", {0}, {}, kOnnxBool);
    EXPECT_FALSE(parse(one.finished({"x", "ratio", "training"})));
    EXPECT_THAT(error, HasSubstr("training_mode: expected one BOOL, got 0"));
    startOver();
    OneNode clip(13, "Clip");
    clip.model.initializer<float>("low", {0}, {}, kOnnxFloat);
    EXPECT_FALSE(parse(clip.finished({"x", "low"})));
    EXPECT_THAT(error, HasSubstr("input 1 (min): expected 1 element, got none"));
}

// A few kB that would fold to 2^61 elements.
TEST_F(HostileModels, ConcatOfItself) {
    ModelWriter model(13);
    model.integers("c0", {1, 2});
    for (int i = 0; i < 60; ++i) {
        std::string const from = "c" + std::to_string(i);
        model.node("Concat", "", {from, from}, {"c" + std::to_string(i + 1)},
                   {intAttribute("axis", 0)});
    }
    model.node("Shape", "", {"c60"}, {"y"}).output("y");
    EXPECT_LT(model.bytes().size(), 4000U);
    static_cast<void>(parse(model)); // refused or not, it must return at once
    startOver();
    ModelWriter few(13);
    few.integers("c0", {1, 2}).node("Concat", "", {"c0", "c0"}, {"c1"}, {intAttribute("axis", 0)});
    few.input("x", {4, 4}).node("Reshape", "", {"x", "c1"}, {"y"}).output("y");
    EXPECT_FALSE(parse(few)); // folded: 1 * 2 * 1 * 2 are not 16 elements
    EXPECT_THAT(logger.all, HasSubstr("[1,2,1,2]"));
}

// Nodes refuse a large constant by its size, without reading it.
TEST_F(HostileModels, LargeConstantsAreRefusedByTheirSize) {
    ModelWriter model(13);
    model.input("x", {4}).integers("large", std::vector<int64_t>(100000, 1));
    model.node("Slice", "s", {"x", "large", "large"}, {"y"}).output("y");
    EXPECT_FALSE(parse(model));
    EXPECT_THAT(error, HasSubstr("input 1 (starts): expected 8 elements at most, got 100000"));
}

TEST_F(HostileModels, TruthValuesAreZeroOrOne) {
    ModelWriter model(13);
    model.initializer<uint8_t>("b", {3}, {0, 7, 255}, kOnnxBool);
    model.node("Identity", "i", {"b"}, {"y"}).output("y");
    ASSERT_TRUE(parse(model)) << error;
    auto const weights = last<nvinfer1::IConstantLayer>().getWeights();
    auto const* const bytes = static_cast<uint8_t const*>(weights.values);
    EXPECT_THAT(std::vector<uint8_t>(bytes, bytes + 3), ElementsAre(0, 1, 1));
}

// A few hundred bytes that stand for 2^40 nodes.
TEST_F(HostileModels, FunctionsThatDouble) {
    ModelWriter model(17);
    model.input("x", {2}).call("f0", {"x"}, {"y"}).output("y");
    for (int i = 0; i < 40; ++i) {
        std::string const next = "f" + std::to_string(i + 1);
        ModelWriter body(17);
        body.call(next, {"a"}, {"c"}).call(next, {"c"}, {"b"});
        model.function("f" + std::to_string(i), {"a"}, {"b"}, body);
    }
    ModelWriter last(17);
    model.function("f40", {"a"}, {"b"}, last.node("Neg", "", {"a"}, {"b"}));
    std::clock_t const start = std::clock();
    EXPECT_FALSE(parse(model));
    EXPECT_LT(std::clock() - start, 5 * CLOCKS_PER_SEC); // 0.2 s of a processor
    EXPECT_THAT(error, HasSubstr("stand for too many nodes"));
    EXPECT_LT(network->getNbLayers(), 40000);
}

// Constants that are converted take memory for each call; those of raw_data are read once.
TEST_F(HostileModels, ConstantsOfFunctions) {
    std::string tensor;
    protozero::pbf_writer writer(tensor);
    std::vector<float> const elements(100000, 1.0F);
    writer.add_int64(1, 100000);
    writer.add_int32(2, kOnnxFloat);
    writer.add_packed_float(4, elements.begin(), elements.end());
    std::string value;
    protozero::pbf_writer(value).add_string(1, "value");
    protozero::pbf_writer(value).add_message(5, tensor);
    protozero::pbf_writer(value).add_int32(20, 4);
    ModelWriter body(17);
    body.node("Constant", "", {}, {"c"}, {value}).node("Add", "", {"a", "c"}, {"b"});
    ModelWriter model(17);
    model.input("x0", {1}).function("f", {"a"}, {"b"}, body);
    for (int i = 0; i < 1000; ++i) {
        model.call("f", {"x" + std::to_string(i)}, {"x" + std::to_string(i + 1)});
    }
    EXPECT_FALSE(parse(model.output("x1000"))); // 400 MB of constants
    EXPECT_THAT(error, HasSubstr("stand for too many nodes"));
}

TEST_F(HostileModels, CallsAndGraphsTooDeep) {
    ModelWriter model(17);
    model.input("x", {2}).call("f0", {"x"}, {"y"}).output("y");
    for (int i = 0; i < 1000; ++i) {
        ModelWriter body(17);
        body.call("f" + std::to_string(i + 1), {"a"}, {"b"});
        model.function("f" + std::to_string(i), {"a"}, {"b"}, body);
    }
    EXPECT_FALSE(parse(model));
    EXPECT_THAT(error, HasSubstr("expected calls inside of 64 others at most"));
    EXPECT_GT(parser->getError(0)->localFunctionStackSize(), 60);
    startOver();
    std::string graph;
    for (int i = 0; i < 10000; ++i) {
        ModelWriter outer(17);
        outer.node("If", "", {"c"}, {"y"}, {graphAttribute("then_branch", graph)});
        graph = outer.graph();
    }
    ModelWriter nested(17);
    nested.node("If", "", {"c"}, {"y"}, {graphAttribute("then_branch", graph)}).output("y");
    EXPECT_FALSE(parse(nested));
    EXPECT_THAT(error, HasSubstr("expected 48 graphs inside each other at most"));
}

// The names of the 1,000 slices are derived from the node's.
TEST_F(HostileModels, LongNamesDoNotMultiply) {
    ModelWriter model(13);
    std::vector<std::string> outputs;
    for (int i = 0; i < 1000; ++i) {
        outputs.push_back("o" + std::to_string(i));
    }
    model.input("x", {1000});
    model.node("Split", std::string(1 << 20, 'n'), {"x"}, outputs).output("o0");
    ASSERT_TRUE(parse(model)) << error;
    EXPECT_LT(std::string(network->getLayer(999)->getName()).size(), 2000U);
}

// Errors and layers repeat names, and no operator has so many attributes.
TEST_F(HostileModels, NamesAndAttributesHaveLimits) {
    for (std::size_t const size : {std::size_t{1} << 20, (std::size_t{1} << 20) + 1}) {
        startOver();
        ModelWriter model(13);
        model.input("x", {2}).node("Neg", std::string(size, 'n'), {"x"}, {"y"}).output("y");
        EXPECT_EQ(parse(model), size == std::size_t{1} << 20);
    }
    EXPECT_THAT(error, HasSubstr("NodeProto, field 'name': expected a name of 1048576 bytes at "
                                 "most, got 1048577"));
    startOver();
    ModelWriter many(13);
    std::vector<AttributeBytes> const attributes(10001, intAttribute("a", 1));
    many.input("x", {2}).node("Neg", "", {"x"}, {"y"}, attributes).output("y");
    EXPECT_FALSE(parse(many));
    EXPECT_THAT(error, HasSubstr("field 'attribute': expected 10000 attributes at most"));
}

// Letters are counted once, not each one among all others.
TEST_F(HostileModels, LongEquations) {
    ModelWriter model(13);
    model.input("x", {2, 3});
    model.node("Einsum", "e", {"x"}, {"y"},
               {stringAttribute("equation", std::string(std::size_t{1} << 20, 'a'))});
    std::clock_t const start = std::clock();
    EXPECT_FALSE(parse(model.output("y")));
    EXPECT_LT(std::clock() - start, 2 * CLOCKS_PER_SEC);
    EXPECT_THAT(error, HasSubstr("expected rank 1048576 as in the equation"));
}

} // namespace
} // namespace kiln::onnx
