// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "fuzz/onnx_control_models.h"

#include "onnx/model_writer.h"

using namespace kiln::onnx;

namespace {

ModelWriter truth(ModelWriter graph, std::string const& name) {
    return graph.initializer<uint8_t>(name, {}, {1}, kOnnxBool);
}

// A loop with a condition, a stack, and a branch in its body.
std::string loops() {
    ModelWriter yes(17);
    yes.node("Neg", "n", {"w"}, {"a"}).output("a");
    ModelWriter no(17);
    no.node("Sub", "s", {"w", "x"}, {"b"}).output("b");
    ModelWriter body(17);
    body.input("i", {}, kOnnxInt64).input("c", {}, kOnnxBool).input("v", {2});
    body.node("Add", "add", {"v", "x"}, {"w"})
        .node("ReduceMax", "max", {"w"}, {"m"}, {intAttribute("keepdims", 0)})
        .node("Less", "less", {"m", "limit"}, {"go"})
        .node(
            "If", "if", {"go"}, {"u"},
            {graphAttribute("then_branch", yes.graph()), graphAttribute("else_branch", no.graph())})
        .output("go")
        .output("w")
        .output("u");
    ModelWriter model(17);
    model.input("x", {2})
        .initializer<float>("limit", {}, {9.0F}, kOnnxFloat)
        .initializer<int64_t>("count", {}, {5}, kOnnxInt64)
        .node("Loop", "loop", {"count", "", "x"}, {"y", "all"},
              {graphAttribute("body", body.graph())});
    return model.output("y").output("all").bytes();
}

// A scan in two directions, and a loop that is unrolled because its value grows.
std::string scans() {
    ModelWriter body(17);
    body.input("h", {3}).input("e", {3});
    body.node("Add", "add", {"h", "e"}, {"k"}).node("Neg", "neg", {"k"}, {"o"});
    body.output("k").output("o");
    ModelWriter grow(17);
    grow.input("i", {}, kOnnxInt64).input("c", {}, kOnnxBool).input("v", {3});
    grow.node("Identity", "id", {"c"}, {"go"})
        .node("Concat", "cat", {"v", "z"}, {"w"}, {intAttribute("axis", 0)});
    grow.output("go").output("w");
    ModelWriter model = truth(ModelWriter(17), "yes");
    model.input("x", {3, 4})
        .input("z", {3})
        .initializer<int64_t>("count", {}, {3}, kOnnxInt64)
        .node("Scan", "scan", {"z", "x"}, {"h", "s"},
              {intAttribute("num_scan_inputs", 1), intsAttribute("scan_input_axes", {1}),
               intsAttribute("scan_input_directions", {1}), intsAttribute("scan_output_axes", {-1}),
               intsAttribute("scan_output_directions", {0}), graphAttribute("body", body.graph())})
        .node("Loop", "grow", {"count", "yes", "h"}, {"y"}, {graphAttribute("body", grow.graph())});
    return model.output("y").output("s").bytes();
}

// Functions that call each other, with an attribute and an input that is left out.
std::string functions() {
    ModelWriter scaled(17);
    scaled.node("LeakyRelu", "r", {"a"}, {"b"}, {referenceAttribute("alpha", "slope", 1)});
    ModelWriter twice(17);
    twice.call("scaled", {"a", ""}, {"c"}, {referenceAttribute("slope", "s", 1)})
        .call("scaled", {"c"}, {"d"})
        .node("Add", "sum", {"d", "a"}, {"e"});
    return ModelWriter(17)
        .input("x", {2, 3})
        .call("twice", {"x"}, {"h"}, {floatAttribute("s", 0.3F)})
        .call("twice", {"h"}, {"y"})
        .output("y")
        .function("scaled", {"a", "low"}, {"b"}, scaled)
        .function("twice", {"a"}, {"e"}, twice)
        .bytes();
}

std::string sequences() {
    ModelWriter body(18);
    body.input("p", {2}).node("Exp", "exp", {"p"}, {"q"}).output("q");
    return ModelWriter(18)
        .input("x", {3, 2})
        .initializer<int64_t>("one", {}, {1}, kOnnxInt64)
        .node("SplitToSequence", "split", {"x"}, {"s"},
              {intAttribute("axis", 0), intAttribute("keepdims", 0)})
        .node("SequenceAt", "at", {"s", "one"}, {"t"})
        .node("SequenceInsert", "insert", {"s", "t", "one"}, {"u"})
        .node("SequenceErase", "erase", {"u"}, {"v"})
        .node("SequenceMap", "map", {"v"}, {"w"}, {graphAttribute("body", body.graph())})
        .node("Optional", "some", {"t"}, {"o"})
        .node("OptionalGetElement", "get", {"o"}, {"g"})
        .node("SequenceLength", "length", {"w"}, {"n"})
        .node("ConcatFromSequence", "join", {"w"}, {"j"},
              {intAttribute("axis", 0), intAttribute("new_axis", 1)})
        .node("Add", "add", {"j", "g"}, {"y"})
        .output("y")
        .output("n")
        .bytes();
}

// Each function calls the next one twice.
std::string doubling(int depth) {
    ModelWriter model(17);
    model.input("x", {2}).call("f0", {"x"}, {"y"}).output("y");
    for (int i = 0; i < depth; ++i) {
        ModelWriter body(17);
        std::string const next = "f" + std::to_string(i + 1);
        if (i + 1 < depth) {
            body.call(next, {"a"}, {"c"}).call(next, {"c"}, {"b"});
        } else {
            body.node("Neg", "", {"a"}, {"b"});
        }
        model.function("f" + std::to_string(i), {"a"}, {"b"}, body);
    }
    return model.bytes();
}

std::string callsItself() {
    ModelWriter body(17);
    body.call("f", {"a"}, {"b"});
    return ModelWriter(17)
        .input("x", {2})
        .call("f", {"x"}, {"y"})
        .output("y")
        .function("f", {"a"}, {"b"}, body)
        .bytes();
}

// Loops inside of each other that must be unrolled, since a value grows.
std::string unrolledLoops(int depth) {
    ModelWriter body(17);
    body.input("i", {}, kOnnxInt64).input("c", {}, kOnnxBool).input("v", {2});
    body.node("Identity", "", {"c"}, {"go"});
    if (depth == 0) {
        body.node("Concat", "", {"v", "x"}, {"w"}, {intAttribute("axis", 0)});
    } else {
        body.node("Loop", "", {"count", "yes", "v"}, {"w"},
                  {graphAttribute("body", unrolledLoops(depth - 1))});
    }
    return body.output("go").output("w").graph();
}

std::string manyPasses() {
    ModelWriter model = truth(ModelWriter(17), "yes");
    return model.input("x", {2})
        .initializer<int64_t>("count", {}, {4096}, kOnnxInt64)
        .node("Loop", "", {"count", "yes", "x"}, {"y"}, {graphAttribute("body", unrolledLoops(6))})
        .output("y")
        .bytes();
}

std::string nestedGraphs() {
    std::string graph;
    for (int i = 0; i < 10000; ++i) {
        ModelWriter outer(17);
        outer.node("If", "", {"c"}, {"y"}, {graphAttribute("then_branch", graph)});
        graph = outer.graph();
    }
    return ModelWriter(17)
        .input("c", {}, kOnnxBool)
        .node("If", "", {"c"}, {"y"}, {graphAttribute("then_branch", graph)})
        .output("y")
        .bytes();
}

std::string cycle() {
    return ModelWriter(17)
        .input("x", {2})
        .node("Add", "", {"x", "b"}, {"a"})
        .node("Neg", "", {"a"}, {"b"})
        .output("b")
        .bytes();
}

} // namespace

std::vector<std::string> soundControlModels() {
    return {loops(), scans(), functions(), sequences()};
}

std::vector<std::string> hostileControlModels() {
    return {doubling(30), callsItself(), manyPasses(), nestedGraphs(), cycle()};
}
