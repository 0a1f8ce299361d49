// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Values between operations are the numbers that elements represent (kernels/numbers.cuh): half and
// bfloat16 are computed in float and rounded once, when they are stored or cast.
#include "targets/cuda/chain/compute_source.h"

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "graph/ops/cast.h"
#include "graph/ops/dequantize.h"
#include "graph/ops/quantize.h"
#include "graph/ops/select.h"
#include "targets/cuda/chain/function_names.h"
#include "targets/cuda/kernel_source.h"

namespace kiln::targets::cuda {
namespace {

using graph::Region;
using target::NodeSpec;
using target::RegionOperand;
using Operands = std::vector<RegionOperand>;

bool isShort(DataType type) {
    return type == DataType::kHALF || type == DataType::kBF16;
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
        return isComputed(cast->toType) ? fmt::format("numberOf(elementOf<{}>({}))",
                                                      kernelTypeName(cast->toType), operands[0])
                                        : std::string();
    }
    std::string const zero = operands.size() > 2 ? ", " + operands[2] : std::string();
    if (auto const* quantize = as<graph::Quantize>(op)) {
        return isComputed(quantize->toType)
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

} // namespace

bool isComputed(DataType type) {
    return isFloating(type) || type == DataType::kINT8 || type == DataType::kINT32 ||
           type == DataType::kINT64 || type == DataType::kBOOL || type == DataType::kUINT8 ||
           type == DataType::kFP8;
}

bool hasBlocks(Region const& region, std::vector<Region::KnownValue> const& values) {
    return std::any_of(region.nodes().begin(), region.nodes().end(), [&](Region::Node const& node) {
        return hasBlocks(as<graph::Quantize>(*node.op), node, values) ||
               hasBlocks(as<graph::Dequantize>(*node.op), node, values);
    });
}

bool isComputed(graph::Op const& op) {
    return !expressionOf(op, {"a", "b", "c"}).empty();
}

DataType typeOfOperand(std::vector<Region::KnownValue> const& values,
                       RegionOperand const& operand) {
    return values[static_cast<std::size_t>(operand.value)].type;
}

std::vector<Region::KnownValue> valuesOf(Region const& region, NodeSpec const& node) {
    std::vector<Region::KnownValue> inputs;
    for (target::OperandSpec const& input : node.inputs) {
        inputs.push_back({input.type.type, input.opt});
    }
    return region.valuesAt(inputs);
}

std::string functionsFor(Region const& region, std::vector<Region::KnownValue> const& values) {
    bool const isAllShort =
        std::all_of(values.begin() + region.inputCount(), values.end(), [](auto const& value) {
            return !isFloating(value.type) || isShort(value.type);
        });
    return fmt::format("constexpr bool kShort = {}; ///< see functions.cuh\n\n"
                       "#include \"activation_functions.cuh\"\n"
                       "#include \"unary_functions.cuh\"\n"
                       "#include \"quantized_elements.cuh\"\n\ntypedef PowerOf<kShort> Power;\n",
                       isAllShort);
}

std::string computeFunction(Region const& region, std::vector<Region::KnownValue> const& values,
                            Operands const& operands) {
    std::string parameters;
    std::string body;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        DataType const type = typeOfOperand(values, operands[i]);
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

std::string computeSource(Region const& region, NodeSpec const& node,
                          std::span<int32_t const> numbers) {
    std::vector<Region::KnownValue> values = valuesOf(region, node);
    std::string const functions = functionsFor(region, values);
    for (int32_t const value : numbers) {
        values[static_cast<std::size_t>(value)].type = DataType::kFLOAT;
    }
    return functions + computeFunction(region, values, target::regionOperands(region));
}

} // namespace kiln::targets::cuda
