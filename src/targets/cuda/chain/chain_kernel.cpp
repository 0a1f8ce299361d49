// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/chain/chain_kernel.h"

namespace kiln::targets::cuda {
namespace {

/// Operands that a region does not have are one element each, which merges with all loops.
std::array<Dims, kMostChainOperands> operandDims(graph::Region const& region,
                                                 Workload const& workload) {
    Dims single = workload.outputs[0];
    std::fill_n(single.d, single.nbDims, 1);
    std::array<Dims, kMostChainOperands> dims;
    dims.fill(single);
    std::vector<int32_t> const operands = operandsOf(region);
    if (operands.size() > dims.size()) {
        fail(ErrorKind::kCorruptData,
             "[plan] region: expected at most {} operands of a generated kernel, got {}. Build the "
             "plan again.",
             dims.size(), operands.size());
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
        dims[i] = workload.inputs[static_cast<std::size_t>(operands[i])];
    }
    return dims;
}

} // namespace

void checkOneShape(graph::Region const& region, Workload const& workload) {
    std::vector<graph::Region::KnownValue> inputs;
    for (std::size_t i = 0; i < workload.inputs.size(); ++i) {
        inputs.push_back({workload.inputTypes[i].type, workload.inputs[i]});
    }
    std::vector<graph::Region::KnownValue> const values = region.valuesAt(inputs);
    for (auto i = static_cast<std::size_t>(region.inputCount()); i < values.size(); ++i) {
        if (!sameDims(values[i].dims, workload.outputs[0])) {
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
    Dims const& result = workload.outputs[0];
    auto const nest =
        target::broadcastNest<kMostChainOperands>(result, operandDims(op, workload), result.nbDims);
    int64_t width = chainWidth(op, workload.inputTypes, workload.outputTypes);
    std::string_view const function = nest.rank() < 2 || nest.count() == 0 ? "chain_flat"
                                      : !fitsInt32(nest.count())           ? "chain_wide"
                                      : nest.inner() % width == 0          ? "chain_rows"
                                                                           : "chain_elements";
    bool const inVectors = function == "chain_flat" || function == "chain_rows";
    width = inVectors ? width : 1;
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
    }
    return {launchOver(function, nest.count() / width + (nest.count() % width != 0 ? 1 : 0))};
}

} // namespace kiln::targets::cuda
