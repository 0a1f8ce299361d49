// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "fuzz/onnx_models.h"

#include <limits>

#include "onnx/model_writer.h"

using namespace kiln::onnx;

namespace {

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

std::string images() {
    return ModelWriter(17)
        .input("x", {-1, 2, 6, 6})
        .weights("w", {4, 1, 3, 3})
        .weights("b", {4})
        .node("Conv", "conv", {"x", "w", "b"}, {"c"},
              {intAttribute("group", 2), intsAttribute("pads", {1, 1, 1, 1}),
               intsAttribute("strides", {1, 2}), intsAttribute("dilations", {1, 1})})
        .node("LeakyRelu", "act", {"c"}, {"a"}, {floatAttribute("alpha", 0.1F)})
        .node("MaxPool", "pool", {"a"}, {"p"},
              {intsAttribute("kernel_shape", {2, 2}), intsAttribute("strides", {2, 2}),
               intAttribute("ceil_mode", 1)})
        .node("AveragePool", "mean", {"p"}, {"m"},
              {intsAttribute("kernel_shape", {2, 1}), intAttribute("count_include_pad", 1)})
        .node("GlobalMaxPool", "top", {"m"}, {"g"})
        .node("Flatten", "flat", {"g"}, {"f"}, {intAttribute("axis", 1)})
        .weights("matrix", {4, 3})
        .weights("bias", {3})
        .node("Gemm", "gemm", {"f", "matrix", "bias"}, {"l"}, {floatAttribute("alpha", 0.5F)})
        .node("Softmax", "soft", {"l"}, {"y"}, {intAttribute("axis", -1)})
        .output("y")
        .bytes();
}

std::string slices() {
    return ModelWriter(18)
        .input("x", {3, 4, 5})
        .integers("starts", {0, -3})
        .integers("ends", {2, 100})
        .integers("axes", {0, 2})
        .integers("steps", {1, 2})
        .node("Slice", "slice", {"x", "starts", "ends", "axes", "steps"}, {"s"})
        .integers("pads", {1, -1, 2, 1})
        .initializer<float>("value", {}, {7.0F}, kOnnxFloat)
        .node("Pad", "pad", {"s", "pads", "value", "axes"}, {"p"},
              {stringAttribute("mode", "constant")})
        .integers("sizes", {1, 3})
        .integers("one", {1})
        .node("Split", "split", {"p", "sizes"}, {"u", "v"}, {intAttribute("axis", 1)})
        .node("Squeeze", "squeeze", {"u", "one"}, {"q"})
        .node("Unsqueeze", "unsqueeze", {"q", "one"}, {"r"})
        .node("Concat", "concat", {"r", "v"}, {"j"}, {intAttribute("axis", 1)})
        .node("Transpose", "transpose", {"j"}, {"y"}, {intsAttribute("perm", {2, 0, 1})})
        .output("y")
        .bytes();
}

std::string computedShapes() {
    return ModelWriter(17)
        .input("x", {-1, 4, 3})
        .node("Shape", "shape", {"x"}, {"s"})
        .integers("first", {0})
        .node("Gather", "batch", {"s", "first"}, {"n"}, {intAttribute("axis", 0)})
        .integers("rest", {-1, 6})
        .node("Concat", "target", {"n", "rest"}, {"t"}, {intAttribute("axis", 0)})
        .node("Reshape", "reshape", {"x", "t"}, {"r"}, {intAttribute("allowzero", 0)})
        .initializer<int64_t>("zero", {}, {0}, kOnnxInt64)
        .initializer<int64_t>("two", {}, {2}, kOnnxInt64)
        .node("Size", "size", {"x"}, {"count"})
        .node("Range", "range", {"zero", "count", "two"}, {"numbers"})
        .node("Shape", "ofResult", {"r"}, {"z"})
        .node("ConstantOfShape", "ones", {"z"}, {"o"})
        .node("Add", "sum", {"r", "o"}, {"a"})
        .integers("wide", {2, 1, 1, 1})
        .node("Expand", "expand", {"a", "wide"}, {"y"})
        .output("y")
        .output("numbers")
        .bytes();
}

std::string indices() {
    return ModelWriter(18)
        .input("x", {3, 4})
        .input("i", {3, 2}, kOnnxInt64)
        .node("GatherElements", "elements", {"x", "i"}, {"e"}, {intAttribute("axis", 1)})
        .node("GatherND", "tuples", {"x", "i"}, {"t"}, {intAttribute("batch_dims", 0)})
        .node("Gather", "rows", {"x", "i"}, {"g"}, {intAttribute("axis", 0)})
        .integers("axes", {-1})
        .node("ReduceMean", "mean", {"g", "axes"}, {"m"}, {intAttribute("keepdims", 0)})
        .node("Mul", "product", {"e", "m"}, {"y"})
        .output("t")
        .output("y")
        .bytes();
}

std::string elements() {
    return ModelWriter(13)
        .input("x", {2, 3})
        .input("b", {3})
        .initializer<uint8_t>("truth", {2, 1}, {0, 1}, kOnnxBool)
        .node("Mul", "mul", {"x", "b"}, {"m"})
        .node("Where", "where", {"truth", "m", "b"}, {"w"})
        .initializer<float>("low", {}, {-1.0F}, kOnnxFloat)
        .node("Clip", "clip", {"w", "low"}, {"c"})
        .node("Max", "max", {"c", "b", "x"}, {"t"})
        .node("Cast", "cast", {"t"}, {"h"}, {intAttribute("to", kOnnxFloat16)})
        .node("MatMul", "square", {"h", "half"}, {"q"})
        .initializer<uint16_t>("half", {3, 2}, {0, 1, 2, 0x3C00, 4, 5}, kOnnxFloat16)
        .node("Dropout", "drop", {"q"}, {"d"})
        .node("Erf", "erf", {"d"}, {"y"})
        .output("y")
        .bytes();
}

std::string oldRules() {
    return ModelWriter(9)
        .input("x", {2, 3, 4})
        .node("Pad", "pad", {"x"}, {"p"},
              {intsAttribute("pads", {0, 1, 0, 0, 1, 2}), stringAttribute("mode", "reflect")})
        .node(
            "Slice", "slice", {"p"}, {"s"},
            {intsAttribute("starts", {1}), intsAttribute("ends", {3}), intsAttribute("axes", {2})})
        .node("Softmax", "soft", {"s"}, {"f"}, {intAttribute("axis", 1)})
        .node("Split", "split", {"f"}, {"y", "z"}, {intAttribute("axis", 0)})
        .output("y")
        .bytes();
}

using Entries = std::vector<std::pair<std::string, std::string>>;

// Bytes that several tensors share, bytes at an odd offset, and all up to the end.
std::string weightsInFile() {
    return ModelWriter(17)
        .input("x", {2, 3})
        .external("w", {3, 4}, Entries{{"location", "weights.bin"}, {"length", "48"}})
        .external("b", {4}, Entries{{"location", "weights.bin"}, {"offset", "32"}})
        .external("odd", {4}, Entries{{"location", "weights.bin"}, {"offset", "5"}})
        .external("last", {4}, Entries{{"location", "weights.bin"}, {"offset", "4080"}})
        .weights("own", {4, 4})
        .node("Gemm", "gemm", {"x", "w", "b"}, {"g"})
        .node("Add", "odd", {"g", "odd"}, {"o"})
        .node("Mul", "last", {"o", "last"}, {"l"})
        .node("MatMul", "own", {"l", "own"}, {"y"})
        .output("y")
        .bytes();
}

// External data of a constant inside a branch.
std::string fileInBranch() {
    ModelWriter branch(17);
    branch.external("w", {2, 3}, Entries{{"location", "./weights.bin"}, {"offset", "64"}})
        .node("Add", "add", {"x", "w"}, {"z"})
        .output("z");
    ModelWriter other(17);
    other.node("Neg", "neg", {"x"}, {"z"}).output("z");
    return ModelWriter(17)
        .input("x", {2, 3})
        .input("c", {}, kOnnxBool)
        .node("If", "if", {"c"}, {"y"},
              {graphAttribute("then_branch", branch.graph()),
               graphAttribute("else_branch", other.graph())})
        .output("y")
        .bytes();
}

std::string padWithAxes(std::vector<int64_t> const& axes) {
    return ModelWriter(18)
        .input("x", {2, 3, 4})
        .integers("pads", std::vector<int64_t>(2 * axes.size(), 0x4141414141))
        .integers("axes", axes)
        .node("Pad", "pad", {"x", "pads", "", "axes"}, {"y"})
        .output("y")
        .bytes();
}

std::string oneNode(char const* type, std::vector<std::string> const& inputs,
                    std::vector<std::string> const& outputs,
                    std::vector<AttributeBytes> const& attributes = {}) {
    ModelWriter model(18);
    model.input("x", {2, 3, 4}).node(type, "node", inputs, outputs, attributes);
    return model.output("y").bytes();
}

std::string concatOfItself() {
    ModelWriter model(13);
    model.integers("c0", {1, 2});
    for (int i = 0; i < 60; ++i) {
        std::string const from = "c" + std::to_string(i);
        model.node("Concat", "", {from, from}, {"c" + std::to_string(i + 1)},
                   {intAttribute("axis", 0)});
    }
    return model.node("Identity", "", {"c60"}, {"y"}).output("y").bytes();
}

std::string startsOfUnknownLength() {
    return ModelWriter(13)
        .input("x", {2})
        .input("starts", {int64_t{1} << 40}, kOnnxInt64)
        .node("Slice", "slice", {"x", "starts", "starts"}, {"y"})
        .output("y")
        .bytes();
}

} // namespace

std::vector<std::string> soundOnnxModels() {
    return {images(), slices(), computedShapes(), indices(), elements(), oldRules()};
}

std::vector<std::string> modelsWithFiles() {
    return {weightsInFile(), fileInBranch()};
}

std::vector<std::string> hostileOnnxModels() {
    return {padWithAxes(std::vector<int64_t>(64, 1)),
            padWithAxes({0, 1, 2, 0, 1, 2, 0, 1, 2, 0}),
            oneNode("Add", {}, {"y"}),
            oneNode("Where", {"x"}, {"y"}),
            oneNode("Split", {"x"}, {}),
            oneNode("Concat", {}, {"y"}),
            oneNode("Dropout", {"x", "", ""}, {"y"}),
            oneNode("MaxPool", {"x"}, {"y"},
                    {intsAttribute("kernel_shape", {2}), intsAttribute("strides", {kHuge}),
                     intsAttribute("pads", {kHuge, kHuge}), intAttribute("ceil_mode", 1)}),
            concatOfItself(),
            startsOfUnknownLength()};
}
