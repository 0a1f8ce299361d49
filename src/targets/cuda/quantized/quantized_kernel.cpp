// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/quantized/quantized_kernel.h"

#include <algorithm>

namespace kiln::targets::cuda {

LoadedQuantized::LoadedQuantized(target::KernelRecord const& plan,
                                 std::span<target::ConstantOperand const> constants)
    : QuantizedRecord(plan), record(plan), code(ByteView(plan.code).subspan(1)) {
    checkPacked(constants[region.right()]);
}

QuantizedArguments describeLoaded(LoadedQuantized const& loaded, std::span<Dims const> inputs,
                                  std::span<Dims const> outputs) {
    target::Workload const workload{loaded.record.inputs, loaded.record.outputs, inputs, outputs};
    if (std::string const problem = loaded.region.formatProblem(
            workload.inputTypes, workload.outputTypes[0], outputs[0].nbDims);
        !problem.empty()) {
        fail(ErrorKind::kUnsupported, "[shape] Region: {}. Build the plan again.", problem);
    }
    return describeQuantized(loaded.region, workload, loaded.packed);
}

Bytes codeOfQuantized(QuantizedRegion const& region, target::NodeSpec const& node,
                      Bytes const& compiled) {
    Bytes code(1 + compiled.size());
    code[0] = std::byte{packsWeights(region, node) ? uint8_t{1} : uint8_t{0}};
    std::copy(compiled.begin(), compiled.end(), code.begin() + 1);
    return code;
}

} // namespace kiln::targets::cuda
