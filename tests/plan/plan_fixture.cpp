// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_fixture.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <NvInferRuntime.h>

#include "base/checked.h"
#include "base/hash.h"
#include "base/without_code.h"
#include "graph/ops/cast.h"
#include "graph/ops/elementwise.h"
#include "plan/reader.h"

namespace kiln::plan::testing {
namespace {

using graph::ExprOp;

Bytes bytesOf(std::string const& text) {
    auto const view = std::as_bytes(std::span(text));
    return {view.begin(), view.end()};
}

/// Bytes that outlive every document: constants are views.
ByteView constantBytes(std::size_t count, uint8_t start) {
    static std::vector<Bytes> kept;
    Bytes bytes(count);
    std::generate(bytes.begin(), bytes.end(), [start]() mutable { return std::byte{start++}; });
    kept.push_back(std::move(bytes));
    return kept.back();
}

graph::ShapeExpr shapeOf(std::initializer_list<int32_t> refs) {
    graph::ShapeExpr shape;
    shape.rank = static_cast<int32_t>(refs.size());
    std::copy(refs.begin(), refs.end(), shape.extent.begin());
    return shape;
}

TensorRecord tensor(std::string name, TensorRole role, DataType type,
                    std::initializer_list<int32_t> shape) {
    TensorRecord record;
    record.name = std::move(name);
    record.role = role;
    record.type.type = type;
    record.shape = shapeOf(shape);
    return record;
}

TensorRecord constant(std::string name, std::initializer_list<int32_t> shape, ByteView data) {
    TensorRecord record = tensor(std::move(name), TensorRole::kConstant, DataType::kFLOAT, shape);
    record.data = data;
    record.origin = record.name + "/value";
    return record;
}

target::KernelRecord kernel(Document const& document, StepRecord const& step, std::string name) {
    target::KernelRecord record;
    record.kernel = std::move(name);
    record.op = "Convolution";
    record.parameters = bytesOf("parameters");
    for (TensorId const index : step.inputs) {
        record.inputs.push_back(document.tensors[index].type);
    }
    for (TensorId const index : step.outputs) {
        record.outputs.push_back(document.tensors[index].type);
    }
    return record;
}

plugin::FieldValue field(std::string name, nvinfer1::PluginFieldType type, int32_t length,
                         std::size_t bytes) {
    plugin::FieldValue value;
    value.name = std::move(name);
    value.type = static_cast<int32_t>(type);
    value.length = length;
    value.data.assign(bytes, std::byte{0x5a});
    return value;
}

std::vector<plugin::PluginRecord> bothPlugins() {
    using Type = nvinfer1::PluginFieldType;
    plugin::PluginRecord v2;
    v2.style = plugin::PluginStyle::kV2DynamicExt;
    v2.id = {"CircPadPlugin", "1", ""};
    v2.layer = "pad";
    v2.blob = bytesOf("what serialize() wrote");
    plugin::PluginRecord v3;
    v3.style = plugin::PluginStyle::kV3;
    v3.id = {"Scale", "2", "sample"};
    v3.layer = "scale";
    v3.needsPython = true;
    v3.tactic = 7;
    v3.fields = {field("pads", Type::kINT32, 4, 16), field("scale", Type::kFLOAT64, 1, 8),
                 field("text", Type::kCHAR, 5, 5),   field("nibbles", Type::kINT4, 3, 2),
                 field("raw", Type::kUNKNOWN, 3, 3), field("empty", Type::kFLOAT32, 0, 0)};
    return {v2, v3};
}

/// Compiled ahead of time: two architectures, the first with two kernels.
plugin::PluginRecord compiledPlugin() {
    plugin::PluginRecord record;
    record.style = plugin::PluginStyle::kQuickAot;
    record.id = {"fill", "1", "sample"};
    record.layer = "fill";
    record.fields = {field("value", nvinfer1::PluginFieldType::kFLOAT64, 1, 8)};
    plugin::AotKernel kernel;
    kernel.entry = "fill_kernel";
    kernel.grid = {5, 1, 0};
    kernel.block = {1, 0, 0};
    kernel.sharedBytes = 7;
    kernel.scalars = {{ScalarType::kInt32, 4, 0.0}, {ScalarType::kFloat64, -1, 2.5}};
    kernel.nullPointers = 2;
    kernel.images = {{CodeKind::kCubin, "sm_90a", 0, bytesOf("cubin")},
                     {CodeKind::kPtx, "sm_90", 83, bytesOf("ptx")}};
    plugin::AotKernel last = kernel;
    last.entry = "last";
    last.scalars.clear();
    last.images.pop_back();
    record.code = {{"cuda", "sm_90", {kernel, last}}, {"cpu", "x86-64", {last}}};
    record.code.back().kernels.back().images.front().kind = CodeKind::kHostObject;
    return record;
}

std::vector<graph::ExprNode> richExprs() {
    return {
        {ExprOp::kConstant, 0, 0, 3},    // 0
        {ExprOp::kConstant, 0, 0, 8},    // 1
        {ExprOp::kInputExtent, 0, 0, 0}, // 2: the batch
        {ExprOp::kShapeValue, 1, 1, 0},  // 3: the second host value of 'sizes'
        {ExprOp::kProd, 0, 2, 0},        // 4
        {ExprOp::kCeilDiv, 4, 1, 0},     // 5
        {ExprOp::kSizeTensor, 9, 5, 2},  // 6: at most expression 5, probably 2
        {ExprOp::kConstant, 0, 0, 0},    // 7
    };
}

void addTensors(Document& document) {
    auto& tensors = document.tensors;
    tensors.push_back(tensor("x", TensorRole::kInput, DataType::kHALF, {2, 0, 1}));
    tensors.back().inputIndex = 0;
    tensors.back().type.format = TensorFormat::kCHW2;
    tensors.push_back(tensor("sizes", TensorRole::kInput, DataType::kINT64, {0}));
    tensors.back().inputIndex = 1;
    tensors.push_back(tensor("y", TensorRole::kOutput, DataType::kFLOAT, {4, 5}));
    tensors.push_back(constant("w", {0, 1}, constantBytes(96, 1)));
    tensors.push_back(constant("w again", {1, 0}, constantBytes(96, 1)));
    tensors.back().type.tag = 17;
    tensors.push_back(constant("b", {0}, constantBytes(12, 9)));
    tensors.push_back(constant("nothing", {7, 1}, {}));
    tensors.push_back(tensor("pad", TensorRole::kInternal, DataType::kHALF, {2, 3}));
    tensors.push_back(tensor("conv", TensorRole::kInternal, DataType::kFLOAT, {0, 1}));
    tensors.back().offset = 640;
    tensors.push_back(tensor("count", TensorRole::kInternal, DataType::kINT64, {}));
    tensors.back().offset = 2048;
    tensors.push_back(tensor("host", TensorRole::kValues, DataType::kINT32, {0}));
    tensors.back().values = {2, 3, 6};
    tensors.push_back(tensor("in place", TensorRole::kInternal, DataType::kFLOAT, {0, 1}));
    tensors.back().offset = 640;
    tensors.back().sharesWith = 8;
    tensors.back().debug = true;
}

/// 'w' is the sum of itself and of what the network has in half precision; 'b' is a source.
void addWeightsTo(Document& document) {
    document.refittable = true;
    WeightRecord source;
    source.name = "conv/kernel";
    source.label = "filter";
    source.type.type = DataType::kHALF;
    source.sourceBytes = 48;
    source.data = constantBytes(48, 55);
    WeightRecord other;
    other.sourceBytes = 96;
    other.data = document.tensors[3].data;
    WeightRecord cast;
    cast.op = "Cast";
    graph::Cast op;
    ByteWriter writer;
    op.save(writer);
    cast.parameters = writer.take();
    cast.operands = {{0, makeDims({24})}};
    cast.dims = makeDims({24});
    WeightRecord sum;
    sum.op = "ElementWise";
    ByteWriter sumWriter;
    graph::ElementWise().save(sumWriter);
    sum.parameters = sumWriter.take();
    sum.operands = {{1, makeDims({3, 8})}, {2, makeDims({3, 8})}};
    sum.dims = makeDims({3, 8});
    WeightRecord absent;
    absent.name = "b/value";
    absent.sourceBytes = 12;
    document.weights = {source, other, cast, sum, absent};
    document.tensors[3].weight = 3;
    document.tensors[3].folded = true;
    document.tensors[5].weight = 4;
    document.fixedWeights = {{"half/value", "", DataType::kFLOAT, 4, 77}};
}

} // namespace

Document richDocument() {
    Document document;
    document.name = "rich";
    document.target = "cuda";
    document.architecture = "sm_90";
    document.stronglyTyped = true;
    document.arenaBytes = 4096;
    document.exprs = richExprs();
    addTensors(document);
    for (plugin::PluginRecord const& record : bothPlugins()) {
        document.plugins.push_back(record);
    }
    document.plugins.push_back(compiledPlugin());
    document.plugins.push_back(document.plugins[1]); // for the second profile
    document.plugins.back().tactic = 8;
    document.sources = {{"pads", {{"Pad", "1", "space"}, {"Pad", "2", ""}}, constantBytes(30, 4)}};
    addWeightsTo(document);
    document.libraries = {{"libpad.so", constantBytes(70, 3)},
                          {"libscale.so", constantBytes(1, 77)}};
    document.profiles = {
        {{{0, makeDims({1, 3, 8}), makeDims({4, 3, 8}), makeDims({32, 3, 8})}},
         {{1, {0, -1, 0}, {0, 4, 0}, {0, 9, 1}}}},
        {{{0, makeDims({0, 3, 8}), makeDims({0, 3, 8}), makeDims({1, 3, 8})},
          {1, makeDims({3}), makeDims({3}), makeDims({3})}},
         {{1, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}},
    };
    StepRecord pad;
    pad.name = "pad";
    pad.inputs = {0};
    pad.outputs = {7};
    pad.plugin = 0;
    pad.declared = {DataType::kFLOAT};
    StepRecord conv;
    conv.name = "conv + relu";
    conv.inputs = {7, 3, 4, 5, 6};
    conv.outputs = {8};
    conv.workspaceBytes = 1000;
    conv.workspaceOffset = 3072;
    conv.profileWorkspaces = {1000, 640};
    conv.kernel = kernel(document, conv, "conv_fast");
    conv.kernel.code = bytesOf("machine code");
    conv.reasons = {"conv_faster: rank 2", "conv_fastest: needs sm_100"};
    conv.candidates = {{"conv_faster", 0.0, false, "rank 2"}, {"conv", 1.25e-5, true, {}}};
    conv.rewrites = {"fold_scale: bn1"};
    StepRecord scale;
    scale.name = "scale";
    scale.inputs = {8, 1, 10};
    scale.outputs = {2, 9, 11};
    scale.metadata = "from the model";
    scale.plugin = 1;
    scale.profilePlugins = {1, 3};
    scale.shapeInputs = 1;
    scale.declared = {DataType::kFLOAT, DataType::kINT64};
    document.steps = {pad, conv, scale};
    return document;
}

Document smallDocument() {
    Document document;
    document.name = "small";
    document.target = "cpu";
    document.architecture = "any";
    document.exprs = {{ExprOp::kConstant, 0, 0, 4}};
    document.tensors = {tensor("x", TensorRole::kInput, DataType::kFLOAT, {0}),
                        tensor("y", TensorRole::kOutput, DataType::kFLOAT, {0}),
                        constant("c", {0}, constantBytes(16, 200))};
    document.tensors[0].inputIndex = 0;
    document.plugins = {bothPlugins().front()};
    StepRecord step;
    step.name = "add";
    step.inputs = {0, 2};
    step.outputs = {1};
    step.kernel = kernel(document, step, "add_reference");
    step.kernel.code = bytesOf("code");
    document.steps = {step};
    return document;
}

/// y = x, 5 times: a branch on 'c' with one step in each body.
Document controlDocument() {
    Document document;
    document.name = "control";
    document.target = "cpu";
    document.architecture = "any";
    document.arenaBytes = 256;
    document.exprs = {
        {ExprOp::kConstant, 0, 0, 4}, {ExprOp::kConstant, 0, 0, 5}, {ExprOp::kShapeValue, 1, 0, 0}};
    document.tensors = {tensor("x", TensorRole::kInput, DataType::kFLOAT, {0}),
                        tensor("c", TensorRole::kInput, DataType::kINT32, {}),
                        tensor("y", TensorRole::kOutput, DataType::kFLOAT, {0}),
                        constant("k", {0}, constantBytes(16, 100)),
                        tensor("next", TensorRole::kInternal, DataType::kFLOAT, {0}),
                        tensor("one", TensorRole::kInternal, DataType::kFLOAT, {0}),
                        tensor("other", TensorRole::kInternal, DataType::kFLOAT, {0})};
    document.tensors[0].inputIndex = 0;
    document.tensors[1].inputIndex = 1;
    document.tensors[5].offset = document.tensors[6].offset = 64;
    document.profiles = {{{}, {{1, {0}, {1}, {1}}}}};
    auto const add = [&](char const* name, std::vector<TensorId> inputs, TensorId output) {
        StepRecord step;
        step.name = name;
        step.inputs = std::move(inputs);
        step.outputs = {output};
        document.steps.push_back(step);
        return &document.steps.back();
    };
    add("loop", {0, 0}, 2)->control = {ControlKind::kRepeat, 1, {{3, {0, 2}, {4}}}, {}, 1};
    add("branch", {2, 0}, 4)->control = {
        ControlKind::kBranch, 2, {{1, {2, 0}, {5}}, {1, {2}, {6}}}};
    StepRecord* const first = add("first", {2, 0}, 5);
    first->kernel = kernel(document, *first, "elementwise_reference");
    StepRecord* const second = add("second", {2, 3}, 6);
    second->kernel = kernel(document, *second, "elementwise_reference");
    return document;
}

SectionEntry sectionOf(Bytes const& plan, SectionKind kind) {
    SectionEntry entry{};
    auto const at = sizeof(FileHeader) + (static_cast<uint32_t>(kind) - 1) * sizeof(SectionEntry);
    std::memcpy(&entry, plan.data() + at, sizeof(entry));
    return entry;
}

void rehash(Bytes& plan) {
    if (plan.size() < sizeof(HeaderBlock)) {
        return;
    }
    HeaderBlock block{};
    std::memcpy(&block, plan.data(), sizeof(block));
    ByteView const all = plan;
    for (SectionEntry& entry : block.sections) {
        if (entry.offset > all.size() || entry.bytes > all.size() - entry.offset) {
            continue; // an empty section may start past the end; its hash never changes
        }
        entry.hash =
            hashBytes(entry.bytes == 0 ? ByteView{} : all.subspan(entry.offset, entry.bytes));
    }
    block.file.headerHash = headerHash(std::as_bytes(std::span(&block, 1)));
    std::memcpy(plan.data(), &block, sizeof(block));
}

Bytes withMetadata(Bytes const& plan, ByteView metadata) {
    HeaderBlock block{};
    std::memcpy(&block, plan.data(), sizeof(block));
    Bytes result(sizeof(block));
    for (SectionEntry& entry : block.sections) {
        ByteView part = metadata;
        if (entry.kind != SectionKind::kMetadata) {
            part =
                entry.bytes == 0 ? ByteView{} : ByteView(plan).subspan(entry.offset, entry.bytes);
        }
        entry.offset = roundUp(result.size(), kAlignment);
        entry.bytes = part.size();
        if (!part.empty()) {
            result.resize(entry.offset);
            result.insert(result.end(), part.begin(), part.end());
        }
    }
    block.file.totalBytes = result.size();
    std::memcpy(result.data(), &block, sizeof(block));
    rehash(result);
    return result;
}

std::string readError(ByteView plan) {
    try {
        read(plan);
    } catch (Error const& error) {
        return test::withoutCode(error.what());
    }
    return {};
}

} // namespace kiln::plan::testing
