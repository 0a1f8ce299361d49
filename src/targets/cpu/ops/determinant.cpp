// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// determinant: the product of the pivots of an elimination with exchanges of rows, in float64.
// float32, float16 and bfloat16. Threads share the matrices.
#include "graph/ops/determinant.h"

#include <cmath>
#include <utility>

#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

struct DeterminantReference {
    using Op = graph::Determinant;
    struct State {
        int64_t matrices = 0;
        int64_t size = 0;
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static std::size_t workspaceBytes(Op const&, Workload const& workload) {
        return bytesFor(DataType::kINT64, volume(workload.inputs[0], "determinant"));
    }

    static target::KernelFunction prepare(Op const&, Workload const& workload, State& state) {
        Dims const& dims = workload.inputs[0];
        state = {volume(workload.outputs[0], "determinant"), dims.d[dims.nbDims - 1]};
        if (dims.d[dims.nbDims - 2] != state.size) {
            fail(ErrorKind::kInvalidArgument,
                 "[shape] Determinant: expected square matrices, got {}. Pass others.",
                 toText(dims));
        }
        return dispatchFloat(workload.type(), "determinant",
                             [](auto value) { return launchOf<&run<decltype(value)>>; });
    }

private:
    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* const from = static_cast<T const*>(call.inputs[0]);
        auto* const to = static_cast<T*>(call.outputs[0]);
        int64_t const count = state.size * state.size;
        parallelFor(state.matrices, grainFor(count * state.size), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                double* const matrix = static_cast<double*>(call.workspace) + i * count;
                for (int64_t k = 0; k < count; ++k) {
                    matrix[k] = load(from[i * count + k]);
                }
                to[i] = store<T>(static_cast<float>(eliminate(matrix, state.size)));
            }
        });
    }

    static double eliminate(double* matrix, int64_t size) {
        double result = 1.0;
        for (int64_t column = 0; column < size; ++column) {
            double* const top = matrix + column * size;
            int64_t pivot = column;
            for (int64_t row = column + 1; row < size; ++row) {
                if (std::fabs(matrix[row * size + column]) >
                    std::fabs(matrix[pivot * size + column])) {
                    pivot = row;
                }
            }
            if (pivot != column) {
                std::swap_ranges(top, top + size, matrix + pivot * size);
                result = -result;
            }
            result *= top[column];
            if (top[column] == 0.0) {
                return 0.0;
            }
            for (int64_t row = column + 1; row < size; ++row) {
                double* const own = matrix + row * size;
                double const factor = own[column] / top[column];
                for (int64_t i = column + 1; i < size; ++i) {
                    own[i] -= factor * top[i];
                }
            }
        }
        return result;
    }
};

} // namespace

void registerKernel_determinant(KernelRegistry& registry) {
    registry.add(entryOf<DeterminantReference>("determinant_reference"));
}

} // namespace kiln::targets::cpu
