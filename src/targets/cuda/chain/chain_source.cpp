// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Generates the kernels around the function `compute` (compute_source.h).
#include "targets/cuda/chain/chain_source.h"

#include <algorithm>

#include "base/text.h"
#include "targets/cuda/chain/compute_source.h"
#include "targets/cuda/dense_order.h"
#include "targets/cuda/kernel_source.h"
#include "targets/cuda/words.h"

namespace kiln::targets::cuda {
namespace {

using graph::Region;
using target::NodeSpec;
using target::RegionOperand;
using Operands = std::vector<RegionOperand>;

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
        DataType const type = typeOfOperand(values, operands[i]);
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

/// The kernel for long rows: a thread loads what repeats along its row once, and what depends on
/// nothing else is computed once. Which operands repeat is that of the optimal shapes; for others,
/// the kernel does as chain_rows.
std::string lineKernel(Region const& region, std::vector<Region::KnownValue> const& values,
                       Operands const& operands, std::string const& parameters,
                       std::string const& passed) {
    uint32_t repeated = 0;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        Dims const& dims = values[static_cast<std::size_t>(operands[i].value)].dims;
        repeated |= dims.nbDims == 0 || dims.d[dims.nbDims - 1] == 1 ? 1U << i : 0U;
    }
    std::string once;
    std::string loads;
    std::string call;
    std::string stores;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        std::string const from =
            fmt::format("in{} + arguments.begins[{}] + offsets[{}]", operands[i].input, i, i);
        call += fmt::format("x{}.at(i), ", i);
        if ((repeated >> i & 1U) != 0) {
            once += fmt::format("        auto const x{} = fetched<kWidth>({}, true);\n", i, from);
        } else {
            loads += fmt::format(
                "            auto const x{} = fetched<kWidth>({} + k * step, false);\n", i, from);
        }
    }
    for (std::size_t i = 0; i < region.results().size(); ++i) {
        auto const result = static_cast<std::size_t>(region.results()[i]);
        loads += fmt::format("            Pack<{}, kWidth> y{};\n",
                             kernelTypeName(values[result].type), i);
        call += fmt::format("{}y{}.at[i]", i == 0 ? "" : ", ", i);
        stores += fmt::format(
            "            store<kWidth>(r{0} + static_cast<int64_t>(vector) * kWidth, y{0});\n", i);
    }
    return fmt::format(
        "KILN_KERNEL void chain_lines({}KILN_IN_PLACE ChainArguments arguments) {{\n"
        "    if ((arguments.repeated & ((1 << kOperands) - 1)) != {}) {{\n"
        "        auto const vectors = static_cast<uint32_t>(arguments.count / kWidth);\n"
        "        for (int64_t i = threadIndex(); i < vectors; i += threadCount()) {{\n"
        "            uint32_t offsets[kOperands];\n"
        "            locate(arguments, static_cast<uint32_t>(i), offsets);\n"
        "            step<uint32_t, kWidth>({}arguments, static_cast<uint32_t>(i), offsets);\n"
        "        }}\n"
        "        return;\n    }}\n"
        "    auto const across =\n"
        "        static_cast<uint32_t>(arguments.extents[arguments.loops - 1].divisor);\n"
        "    auto const parts = static_cast<uint32_t>(arguments.byParts.divisor);\n"
        "    int64_t const step = static_cast<int64_t>(parts) * kWidth;\n"
        "    int64_t const items =\n"
        "        static_cast<uint32_t>(arguments.count) / kWidth / across * parts;\n"
        "    for (int64_t item = threadIndex(); item < items; item += threadCount()) {{\n"
        "        auto const line = static_cast<uint32_t>(\n"
        "            arguments.byParts.quotient(static_cast<int32_t>(item)));\n"
        "        uint32_t const part = static_cast<uint32_t>(item) - line * parts;\n"
        "        uint32_t offsets[kOperands];\n"
        "        locate(arguments, line * across + part, offsets);\n{}"
        "#pragma unroll 2\n"
        "        for (int k = 0; k < kLineVectors; ++k) {{\n"
        "            uint32_t const at = part + static_cast<uint32_t>(k) * parts;\n"
        "            if (at >= across) {{\n                break;\n            }}\n"
        "            uint32_t const vector = line * across + at;\n{}"
        "#pragma unroll\n            for (int i = 0; i < kWidth; ++i) {{\n"
        "                compute({});\n            }}\n{}        }}\n    }}\n}}\n\n",
        parameters, repeated, passed, once, loads, call, stores);
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
        if (!whole || one.op->opClass() != graph::OpClass::kPointwise || !isComputed(*one.op)) {
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
    if (hasBlocks(region, values)) {
        return "expected scales of the rank of the data, without blocks";
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        int32_t const producer = region.producerOf(static_cast<int32_t>(i));
        bool const made =
            producer >= 0 &&
            !target::isOperandSlice(region, region.nodes()[static_cast<std::size_t>(producer)]);
        if ((made || region.readersOf(static_cast<int32_t>(i)) > 0) &&
            !isComputed(values[i].type)) {
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

ChainWidths chainWidths(Region const& region, std::span<target::OperandType const> inputs,
                        std::span<target::OperandType const> outputs) {
    std::size_t widest = 1;
    std::size_t narrowest = 16;
    for (RegionOperand const& operand : target::regionOperands(region)) {
        widest = std::max(widest, bytesFor(inputs[operand.input].type, 1));
    }
    for (target::OperandType const& output : outputs) {
        std::size_t const bytes = bytesFor(output.type, 1);
        widest = std::max(widest, bytes);
        narrowest = std::min(narrowest, bytes);
    }
    auto const vectorOf = [](std::size_t bytes, std::size_t element) {
        return static_cast<int64_t>(bytes / element);
    };
    int64_t const narrow = vectorOf(16, widest);
    return {std::max(narrow, std::min(vectorOf(16, narrowest), vectorOf(32, widest))), narrow};
}

SourceText chainSource(Region const& region, NodeSpec const& node) {
    std::vector<Region::KnownValue> const values = valuesOf(region, node);
    Operands const operands = target::regionOperands(region);
    std::vector<target::OperandType> inputs;
    std::vector<target::OperandType> outputs;
    for (target::OperandSpec const& input : node.inputs) {
        inputs.push_back(input.type);
    }
    for (target::OperandSpec const& output : node.outputs) {
        outputs.push_back(output.type);
    }
    std::string const passed = argumentsOf(operands, outputs.size());
    std::string const parameters = parametersOf(region, values, operands, node);
    std::string text =
        "// Generated by chain_source.cpp for one region.\n#include \"chain.cuh\"\n\n";
    ChainWidths const widths = chainWidths(region, inputs, outputs);
    text += functionsFor(region, values) +
            fmt::format("constexpr int kOperands = {};\nconstexpr int kWidth = {};\n"
                        "constexpr int kNarrowWidth = {};\n\n",
                        operands.size(), widths.wide, widths.narrow);
    text += computeFunction(region, values, operands) + stepFunction(region, values, operands);
    text += flatKernel(parameters, passed);
    text += loopKernel("chain_rows", "uint32_t", "kWidth", parameters, passed);
    if (operands.size() >= kLeastLineOperands) {
        text += lineKernel(region, values, operands, parameters, passed);
    }
    if (widths.narrow < widths.wide) {
        text += loopKernel("chain_narrow_rows", "uint32_t", "kNarrowWidth", parameters, passed);
    }
    text += loopKernel("chain_elements", "uint32_t", "1", parameters, passed);
    if (needsWide(node)) {
        text += loopKernel("chain_wide", "uint64_t", "1", parameters, passed);
    }
    return {"chain_region.cuh", std::move(text), {}};
}

} // namespace kiln::targets::cuda
