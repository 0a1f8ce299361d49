// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// double math: arithmetic of float64 on the bits of numbers in int64 tensors; see
// kernels/double_math.cuh.
#include "graph/ops/double_math.h"

#include <array>

#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

/// Names of the functions in the source, in the order of DoubleOperation.
constexpr std::array<char const*, 19> kFunctions{
    "Same",   "Same",    "Same",  "ToInteger", "Negated",    "Absolute", "Floor",
    "Ceil",   "Round",   "Root",  "Sum",       "Difference", "Product",  "Quotient",
    "Larger", "Smaller", "Equal", "Less",      "LessOrEqual"};

struct DoubleMathKernel {
    using Op = graph::DoubleMath;
    struct Arguments {
        int64_t count = 0;
        int64_t steps[2] = {};
    };

    static SourceText source(Op const& op, NodeSpec const&) {
        bool const isInteger = op.operation == DoubleOperation::kFROM_INTEGER;
        bool const toInteger = op.operation == DoubleOperation::kTO_INTEGER;
        bool const isFloat = op.operation == DoubleOperation::kFROM_FLOAT;
        bool const toFloat = op.operation == DoubleOperation::kTO_FLOAT;
        bool const tests = op.outputType() == DataType::kBOOL;
        return sourceOf("double_math",
                        {{"KILN_FROM", isInteger ? "int64_t"
                                       : isFloat ? "float"
                                                 : "double"},
                         {"KILN_TO", toInteger ? "int64_t"
                                     : toFloat ? "float"
                                     : tests   ? "bool"
                                               : "double"},
                         {"KILN_OPERANDS", op.operands() == 2 ? "2" : "1"},
                         {"KILN_FUNCTION", kFunctions.at(static_cast<std::size_t>(op.operation))}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        arguments.count = volume(workload.outputs[0], "double math");
        for (std::size_t i = 0; i < op.operands(); ++i) {
            int64_t const count = volume(workload.inputs[i], "double math");
            if (count != arguments.count && count != 1) {
                fail(
                    ErrorKind::kInvalidArgument,
                    "[shape] DoubleMath: expected {} elements or one, got {}. Pass operands of one "
                    "shape.",
                    arguments.count, count);
            }
            arguments.steps[i] = count == 1 ? 0 : 1;
        }
        constexpr int32_t kThreads = 128;
        return {launchBlocks("double_math", arguments.count, kThreads, kThreads)};
    }
};

} // namespace

void registerKernel_double_math(KernelRegistry& registry) {
    registry.add(entryOf<DoubleMathKernel>("double_math"));
}

} // namespace kiln::targets::cuda
