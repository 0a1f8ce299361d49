// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Generates the function `compute`, which takes one element of each operand (x0, x1, ...) and sets
// one of each result (y0, ...), and the kernels around it. Values in between are the numbers that
// elements represent (kernels/numbers.cuh): half and bfloat16 are computed in float and rounded
// once, when they are stored or cast.
#include "targets/cuda/chain/chain_source.h"

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "graph/ops/cast.h"
#include "graph/ops/dequantize.h"
#include "graph/ops/quantize.h"
#include "graph/ops/select.h"
#include "targets/cuda/chain/function_names.h"
#include "targets/cuda/dense_order.h"
#include "targets/cuda/kernel_source.h"
#include "targets/cuda/words.h"

namespace kiln::targets::cuda {
namespace {

using graph::Region;
using target::NodeSpec;
using target::RegionOperand;
using Operands = std::vector<RegionOperand>;

bool isShort(DataType type) {
    return type == DataType::kHALF || type == DataType::kBF16;
}

/// Kernels compute with these types.
bool isKnown(DataType type) {
    return isFloating(type) || type == DataType::kINT8 || type == DataType::kINT32 ||
           type == DataType::kINT64 || type == DataType::kBOOL || type == DataType::kUINT8 ||
           type == DataType::kFP8;
}

/// The type of a value between operations.
char const* numberName(DataType type) {
    bool const real = isFloating(type) || type == DataType::kFP8;
    return real ? "float" : type == DataType::kBOOL ? "uint8_t" : kernelTypeName(type);
}

std::string literal(float value) {
    return fmt::format("__uint_as_float({:#x}U)", std::bit_cast<uint32_t>(value));
}

template <typename Op>
Op const* as(graph::Op const& op) {
    return op.kind() == Op::kKind ? static_cast<Op const*>(&op) : nullptr;
}

/// The expression of a node's result; empty if the operation is unknown here.
std::string expressionOf(graph::Op const& op, std::vector<std::string> const& operands) {
    if (auto const* activation = as<graph::Activation>(op)) {
        return fmt::format("{}::of({}, {}, {})", functionName(activation->type), operands[0],
                           literal(activation->alpha), literal(activation->beta));
    }
    if (auto const* unary = as<graph::Unary>(op)) {
        return fmt::format("{}::of({})", functionName(unary->operation), operands[0]);
    }
    if (auto const* elementwise = as<graph::ElementWise>(op)) {
        return fmt::format("{}::of({}, {})", functionName(elementwise->operation), operands[0],
                           operands[1]);
    }
    if (auto const* cast = as<graph::Cast>(op)) {
        return isKnown(cast->toType) ? fmt::format("numberOf(elementOf<{}>({}))",
                                                   kernelTypeName(cast->toType), operands[0])
                                     : std::string();
    }
    std::string const zero = operands.size() > 2 ? ", " + operands[2] : std::string();
    if (auto const* quantize = as<graph::Quantize>(op)) {
        return isKnown(quantize->toType)
                   ? fmt::format("quantized<{}>({}, {}{})", kernelTypeName(quantize->toType),
                                 operands[0], operands[1], zero)
                   : std::string();
    }
    if (auto const* dequantize = as<graph::Dequantize>(op)) {
        return fmt::format("dequantized<{}>({}, {}{})", kernelTypeName(dequantize->toType),
                           operands[0], operands[1], zero);
    }
    if (as<graph::Select>(op) != nullptr) {
        return fmt::format("{} != 0 ? {} : {}", operands[0], operands[1], operands[2]);
    }
    return {};
}

/// Whether a quantization has a scale in blocks, or of a type that chains do not read.
template <typename Op>
bool hasBlocks(Op const* op, Region::Node const& node,
               std::vector<Region::KnownValue> const& values) {
    for (std::size_t i = 1; op != nullptr && i < node.inputs.size(); ++i) {
        Region::KnownValue const& scale = values[static_cast<std::size_t>(node.inputs[i])];
        Dims const& data = values[static_cast<std::size_t>(node.inputs[0])].dims;
        if (!graph::isBroadcastScale(data, scale.dims, op->blockShape) ||
            (i == 1 && !isFloating(scale.type))) {
            return true;
        }
    }
    return false;
}

DataType typeOf(std::vector<Region::KnownValue> const& values, RegionOperand const& operand) {
    return values[static_cast<std::size_t>(operand.value)].type;
}

/// All values at the optimum shapes. Inputs that no node reads keep their own type.
std::vector<Region::KnownValue> valuesOf(Region const& region, NodeSpec const& node) {
    std::vector<Region::KnownValue> inputs;
    for (target::OperandSpec const& input : node.inputs) {
        inputs.push_back({input.type.type, input.opt});
    }
    return region.valuesAt(inputs);
}

std::string computeFunction(Region const& region, std::vector<Region::KnownValue> const& values,
                            Operands const& operands) {
    std::string parameters;
    std::string body;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        DataType const type = typeOf(values, operands[i]);
        parameters += fmt::format("{} x{}, ", kernelTypeName(type), i);
        body += fmt::format("    {} const v{} = numberOf(x{});\n", numberName(type),
                            operands[i].value, i);
    }
    for (std::size_t i = 0; i < region.nodes().size(); ++i) {
        Region::Node const& node = region.nodes()[i];
        if (target::isOperandSlice(region, node)) {
            continue;
        }
        std::vector<std::string> names;
        for (int32_t const input : node.inputs) {
            names.push_back(fmt::format("v{}", input));
        }
        int32_t const result = region.firstOutput(i);
        body += fmt::format("    {} const v{} = {};\n",
                            numberName(values[static_cast<std::size_t>(result)].type), result,
                            expressionOf(*node.op, names));
    }
    for (std::size_t i = 0; i < region.results().size(); ++i) {
        int32_t const result = region.results()[i];
        char const* const type = kernelTypeName(values[static_cast<std::size_t>(result)].type);
        parameters += fmt::format("{}{}& y{}", i == 0 ? "" : ", ", type, i);
        body += fmt::format("    y{} = elementOf<{}>(v{});\n", i, type, result);
    }
    return fmt::format("__device__ inline void compute({}) {{\n{}}}\n\n", parameters, body);
}

/// The parameter list of the kernels, which name the inputs of the region in0, in1, ...
std::string parametersOf(Region const& region, std::vector<Region::KnownValue> const& values,
                         Operands const& operands, NodeSpec const& node) {
    std::string text;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        bool const isRead = std::any_of(operands.begin(), operands.end(),
                                        [&](RegionOperand const& one) { return one.input == i; });
        text += isRead ? fmt::format("{} const* in{}, ", kernelTypeName(values[i].type), i)
                       : std::string("void const*, ");
    }
    for (std::size_t i = 0; i < region.results().size(); ++i) {
        auto const result = static_cast<std::size_t>(region.results()[i]);
        text += fmt::format("{}* r{}, ", kernelTypeName(values[result].type), i);
    }
    return text;
}

/// The arguments of step() in a kernel: where each operand begins, then the results.
std::string argumentsOf(Operands const& operands, std::size_t results) {
    std::string text;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        text += operands[i].first.empty()
                    ? fmt::format("in{}, ", operands[i].input)
                    : fmt::format("in{} + arguments.begins[{}], ", operands[i].input, i);
    }
    for (std::size_t i = 0; i < results; ++i) {
        text += fmt::format("r{}, ", i);
    }
    return text;
}

/// step(): loads, computes and stores one vector.
std::string stepFunction(Region const& region, std::vector<Region::KnownValue> const& values,
                         Operands const& operands) {
    std::string parameters;
    std::string loads;
    std::string results;
    std::string call;
    std::string stores;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        DataType const type = typeOf(values, operands[i]);
        parameters += fmt::format("{} const* p{}, ", kernelTypeName(type), i);
        loads += fmt::format("    auto const x{0} = fetched<kW>(p{0} + offsets[{0}], "
                             "arguments.repeats({0}));\n",
                             i);
        call += fmt::format("x{}.at(i), ", i);
    }
    for (std::size_t i = 0; i < region.results().size(); ++i) {
        auto const result = static_cast<std::size_t>(region.results()[i]);
        char const* const type = kernelTypeName(values[result].type);
        parameters += fmt::format("{}* r{}, ", type, i);
        results += fmt::format("    Pack<{}, kW> y{};\n", type, i);
        call += fmt::format("{}y{}.at[i]", i == 0 ? "" : ", ", i);
        stores += fmt::format("    store<kW>(r{0} + vector * kW, y{0});\n", i);
    }
    return fmt::format("template <typename Index, int kW>\n"
                       "__device__ inline void step({}ChainArguments const& arguments, Index "
                       "vector, Index const (&offsets)[kOperands]) {{\n{}{}"
                       "#pragma unroll\n    for (int i = 0; i < kW; ++i) {{\n"
                       "        compute({});\n    }}\n{}}}\n\n",
                       parameters, loads, results, call, stores);
}

/// The kernels for results with several loops.
std::string loopKernel(char const* name, char const* index, char const* width,
                       std::string const& parameters, std::string const& passed) {
    return fmt::format("KILN_KERNEL void {0}({1}KILN_IN_PLACE ChainArguments arguments) {{\n"
                       "    {2} const vectors = static_cast<{2}>(arguments.count / {3});\n"
                       "    for (int64_t i = threadIndex(); i < vectors; i += threadCount()) {{\n"
                       "        {2} offsets[kOperands];\n"
                       "        locate(arguments, static_cast<{2}>(i), offsets);\n"
                       "        step<{2}, {3}>({4}arguments, static_cast<{2}>(i), offsets);\n"
                       "    }}\n}}\n\n",
                       name, parameters, index, width, passed);
}

/// The kernel for one loop, whose length need not be a multiple of the width.
std::string flatKernel(std::string const& parameters, std::string const& passed) {
    std::string const loop =
        "    for (int64_t i = {0} + threadIndex(); i < {1}; i += threadCount()) {{\n"
        "        int64_t offsets[kOperands];\n"
        "#pragma unroll\n"
        "        for (int k = 0; k < kOperands; ++k) {{\n"
        "            offsets[k] = arguments.repeats(k) ? 0 : i * {2};\n"
        "        }}\n"
        "        step<int64_t, {2}>({3}arguments, i, offsets);\n"
        "    }}\n";
    return fmt::format(
        "KILN_KERNEL void chain_flat({}KILN_IN_PLACE ChainArguments arguments) {{\n"
        "    int64_t const vectors = arguments.count / kWidth;\n{}{}}}\n\n",
        parameters, fmt::format(fmt::runtime(loop), "0", "vectors", "kWidth", passed),
        fmt::format(fmt::runtime(loop), "vectors * kWidth", "arguments.count", "1", passed));
}

} // namespace

std::string refuseChain(Region const& region, NodeSpec const& node) {
    for (Region::Node const& one : region.nodes()) {
        if (target::isOperandSlice(region, one)) {
            continue;
        }
        bool const whole = std::none_of(one.inputs.begin(), one.inputs.end(),
                                        [](int32_t input) { return input == Region::kAbsent; });
        if (!whole || one.op->opClass() != graph::OpClass::kPointwise ||
            expressionOf(*one.op, {"a", "b", "c"}).empty()) {
            return fmt::format("expected pointwise operations, got {}", one.op->kind());
        }
    }
    if (std::string reason = target::refuseSlicedFormats(region, node); !reason.empty()) {
        return reason;
    }
    Operands const operands = target::regionOperands(region);
    if (operands.empty() || static_cast<int32_t>(operands.size()) > kMostChainOperands) {
        return fmt::format("expected 1 to {} operands, got {}", kMostChainOperands,
                           operands.size());
    }
    std::vector<Region::KnownValue> const values = valuesOf(region, node);
    for (Region::Node const& one : region.nodes()) {
        if (hasBlocks(as<graph::Quantize>(*one.op), one, values) ||
            hasBlocks(as<graph::Dequantize>(*one.op), one, values)) {
            return "expected scales of the rank of the data, without blocks";
        }
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        int32_t const producer = region.producerOf(static_cast<int32_t>(i));
        bool const made =
            producer >= 0 &&
            !target::isOperandSlice(region, region.nodes()[static_cast<std::size_t>(producer)]);
        if ((made || region.readersOf(static_cast<int32_t>(i)) > 0) && !isKnown(values[i].type)) {
            return fmt::format("expected types that kernels compute with, got {}",
                               nameOf(values[i].type));
        }
        if (made && !sameDims(values[i].dims, node.outputs[0].opt)) {
            return fmt::format("expected results of one shape, got {} and {}",
                               toText(values[i].dims), toText(node.outputs[0].opt));
        }
    }
    return {};
}

int64_t chainWidth(Region const& region, std::span<target::OperandType const> inputs,
                   std::span<target::OperandType const> outputs) {
    std::size_t bytes = 1;
    for (RegionOperand const& operand : target::regionOperands(region)) {
        bytes = std::max(bytes, bytesFor(inputs[operand.input].type, 1));
    }
    for (target::OperandType const& output : outputs) {
        bytes = std::max(bytes, bytesFor(output.type, 1));
    }
    return 16 / static_cast<int64_t>(bytes);
}

SourceText chainSource(Region const& region, NodeSpec const& node) {
    std::vector<Region::KnownValue> const values = valuesOf(region, node);
    Operands const operands = target::regionOperands(region);
    std::vector<target::OperandType> inputs;
    std::vector<target::OperandType> outputs;
    bool isAllShort = true;
    for (target::OperandSpec const& input : node.inputs) {
        inputs.push_back(input.type);
    }
    for (target::OperandSpec const& output : node.outputs) {
        outputs.push_back(output.type);
    }
    for (std::size_t i = static_cast<std::size_t>(region.inputCount()); i < values.size(); ++i) {
        isAllShort = isAllShort && (!isFloating(values[i].type) || isShort(values[i].type));
    }
    std::string const passed = argumentsOf(operands, outputs.size());
    std::string const parameters = parametersOf(region, values, operands, node);
    std::string text =
        "// Generated by chain_source.cpp for one region.\n#include \"chain.cuh\"\n\n";
    text += fmt::format("constexpr bool kShort = {}; ///< see functions.cuh\n\n"
                        "#include \"activation_functions.cuh\"\n#include \"unary_functions.cuh\"\n"
                        "#include \"quantized_elements.cuh\"\n\n"
                        "typedef PowerOf<kShort> Power;\nconstexpr int kOperands = {};\n"
                        "constexpr int kWidth = {};\n\n",
                        isAllShort, operands.size(), chainWidth(region, inputs, outputs));
    text += computeFunction(region, values, operands) + stepFunction(region, values, operands);
    text += flatKernel(parameters, passed);
    text += loopKernel("chain_rows", "uint32_t", "kWidth", parameters, passed);
    text += loopKernel("chain_elements", "uint32_t", "1", parameters, passed);
    if (needsWide(node)) {
        text += loopKernel("chain_wide", "uint64_t", "1", parameters, passed);
    }
    return {"chain_region.cuh", std::move(text), {}};
}

} // namespace kiln::targets::cuda
