// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/chain/chain_kernel.h"

namespace kiln::targets::cuda {
namespace {

using target::RegionOperand;

std::vector<graph::Region::KnownValue> valuesAt(graph::Region const& region,
                                                Workload const& workload) {
    std::vector<graph::Region::KnownValue> inputs;
    for (std::size_t i = 0; i < workload.inputs.size(); ++i) {
        inputs.push_back({workload.inputTypes[i].type, workload.inputs[i]});
    }
    return region.valuesAt(inputs);
}

/// Where the kernel finds its operands.
using Places = std::vector<target::OperandStrides>;

Places placesOf(std::vector<RegionOperand> const& operands,
                std::vector<graph::Region::KnownValue> const& values) {
    Places places;
    if (operands.size() > static_cast<std::size_t>(kMostChainOperands)) {
        fail(ErrorKind::kCorruptData,
             "[plan] region: expected at most {} operands of a generated kernel, got {}. Build the "
             "plan again.",
             kMostChainOperands, operands.size());
    }
    for (RegionOperand const& operand : operands) {
        places.push_back(target::stridesOf(operand,
                                           values[static_cast<std::size_t>(operand.value)].dims,
                                           values[operand.input].dims));
    }
    return places;
}

/// Loops over the result. Operands that a region does not have are one element each, which merges
/// with all loops.
using ChainNest = target::Nest<kMostChainOperands>;

ChainNest nestOver(Dims const& result, Places const& places) {
    ChainNest nest;
    for (int32_t axis = 0; axis < result.nbDims; ++axis) {
        ChainNest::Offsets strides{};
        for (std::size_t i = 0; i < places.size(); ++i) {
            strides[i] = places[i].along[static_cast<std::size_t>(axis)];
        }
        nest.add(result.d[axis], strides);
    }
    return nest;
}

/// Whether each operand has neighbours, or one element, along the innermost loop.
bool hasRows(ChainNest const& nest) {
    for (std::size_t i = 0; i < kMostChainOperands; ++i) {
        if (nest.innerStride(i) > 1) {
            return false;
        }
    }
    return true;
}

/// Whether threads compute several vectors of a row: rows are long, and some operands repeat along
/// them.
bool sharesLines(ChainNest const& nest, std::size_t operands, int64_t width) {
    constexpr int64_t kLeastVectors = 64;
    constexpr std::size_t kLeastRepeated = 2;
    std::size_t repeated = 0;
    for (std::size_t i = 0; i < operands; ++i) {
        repeated += nest.innerStride(i) == 0 ? 1U : 0U;
    }
    return operands >= kLeastLineOperands && repeated >= kLeastRepeated &&
           nest.inner() / width >= kLeastVectors;
}

/// Whether positions in all operands fit 32 bits.
bool isNarrow(ChainNest const& nest, std::vector<RegionOperand> const& operands,
              Workload const& workload) {
    bool fits = fitsInt32(nest.count());
    for (RegionOperand const& operand : operands) {
        fits = fits && fitsInt32(volume(workload.inputs[operand.input], "operand of a region"));
    }
    return fits;
}

} // namespace

void checkOneShape(graph::Region const& region, Workload const& workload) {
    std::vector<graph::Region::KnownValue> const values = valuesAt(region, workload);
    for (auto i = static_cast<std::size_t>(region.inputCount()); i < values.size(); ++i) {
        auto const node = static_cast<std::size_t>(region.producerOf(static_cast<int32_t>(i)));
        if (!target::isOperandSlice(region, region.nodes()[node]) &&
            !sameDims(values[i].dims, workload.outputs[0])) {
            fail(ErrorKind::kInvalidArgument,
                 "[shape] Region: expected results of one shape, got {} and {}. Build the plan "
                 "again.",
                 toText(values[i].dims), toText(workload.outputs[0]));
        }
    }
}

std::vector<GridLaunch> ChainKernel::prepare(Op const& op, Workload const& workload,
                                             Arguments& arguments) {
    checkOneShape(op, workload);
    std::vector<RegionOperand> const operands = target::regionOperands(op);
    Places const places = placesOf(operands, valuesAt(op, workload));
    ChainNest const nest = nestOver(workload.outputs[0], places);
    ChainWidths const widths = chainWidths(op, workload.inputTypes, workload.outputTypes);
    bool const rows = hasRows(nest);
    std::string_view const function = rows && (nest.rank() < 2 || nest.count() == 0) ? "chain_flat"
                                      : !isNarrow(nest, operands, workload)          ? "chain_wide"
                                      : rows && nest.inner() % widths.wide == 0      ? "chain_rows"
                                      : rows && nest.inner() % widths.narrow == 0
                                          ? "chain_narrow_rows"
                                          : "chain_elements";
    int64_t const width = function == "chain_flat" || function == "chain_rows" ? widths.wide
                          : function == "chain_narrow_rows"                    ? widths.narrow
                                                                               : 1;
    arguments.count = nest.count();
    arguments.loops = nest.rank();
    for (int32_t loop = 0; loop < nest.rank(); ++loop) {
        bool const innermost = loop == nest.rank() - 1;
        arguments.extents[loop] = fastDivide(nest.extent(loop) / (innermost ? width : 1));
        for (std::size_t i = 0; i < kMostChainOperands; ++i) {
            arguments.strides[i][loop] = nest.stride(loop, i) * (innermost ? width : 1);
        }
    }
    for (std::size_t i = 0; i < kMostChainOperands; ++i) {
        arguments.repeated |= nest.innerStride(i) == 0 ? 1 << i : 0;
        arguments.begins[i] = i < places.size() ? places[i].begin : 0;
    }
    if (function == "chain_rows" && sharesLines(nest, operands.size(), width)) {
        constexpr int64_t kLineVectors = 8; // as in kernels/chain.cuh
        int64_t const across = nest.inner() / width;
        int64_t const parts = (across + kLineVectors - 1) / kLineVectors;
        arguments.byParts = fastDivide(parts);
        return {launchOver("chain_lines", nest.rows() * parts)};
    }
    return {launchOver(function, nest.count() / width + (nest.count() % width != 0 ? 1 : 0))};
}

} // namespace kiln::targets::cuda
