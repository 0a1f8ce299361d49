// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// matrix_multiply: [batch..., m, k] x [batch..., k, n] -> [batch..., m, n], each operand transposed
// or a vector if the layer says so, batch axes of extent 1 repeated. float32 and float16, summed
// in float32. Threads share the rows of all results.
#include "graph/ops/matrix_multiply.h"

#include "backends/cpu/copy.h"
#include "backends/cpu/matrix_problem.h"

namespace kiln::backends::cpu {
namespace {

struct MatrixMultiplyReference {
    using Op = graph::MatrixMultiply;
    using State = MatrixProblem;

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static double estimate(Op const& op, NodeSpec const& node) {
        // One multiplication and one addition after the other, as measured.
        return matrixOperations(op, node) / 1e9;
    }

    static backend::KernelFunction prepare(Op const& op, Problem const& problem, State& state) {
        state = matrixProblem(op, problem.inputs[0], problem.inputs[1], problem.outputs[0]);
        return dispatchFloat(problem.type(), "matrix multiply",
                             [](auto value) -> backend::KernelFunction {
                                 return launchOf<&run<decltype(value)>>;
                             });
    }

private:
    template <typename T>
    static void run(State const& p, KernelCall const& call) {
        auto const* left = static_cast<T const*>(call.inputs[0]);
        auto const* right = static_cast<T const*>(call.inputs[1]);
        auto* to = static_cast<T*>(call.outputs[0]);
        parallelFor(p.batch.count() * p.rows, grainFor(p.columns * p.inner),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t row = begin; row < end; ++row) {
                            auto const [a, b] = p.batch.atElement(row / p.rows);
                            T const* x = left + a + row % p.rows * p.left.kept;
                            for (int64_t column = 0; column < p.columns; ++column) {
                                T const* y = right + b + column * p.right.kept;
                                float sum = 0.0F;
                                for (int64_t k = 0; k < p.inner; ++k) {
                                    sum += load(x[k * p.left.summed]) *
                                           load(y[k * p.right.summed]);
                                }
                                to[row * p.columns + column] = store<T>(sum);
                            }
                        }
                    });
    }
};

} // namespace

void registerKernel_matrix_multiply(KernelRegistry& registry) {
    registry.add(entryOf<MatrixMultiplyReference>("matrix_multiply_reference"));
}

} // namespace kiln::backends::cpu
