// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// convolution: y[n, m, oy, ox] = bias[m] + sum over c, ky, kx of kernel[m, c, ky, kx] *
// x[n, group(m) * C/groups + c, oy * stride - pad + ky * dilation, ...], zeros outside the input.
// All row-major. float32 and float16, summed in float32. Threads share the output rows.
#include "graph/ops/convolution.h"

#include "backends/cpu/convolution_problem.h"
#include "backends/cpu/copy.h"

namespace kiln::backends::cpu {
namespace {

struct ConvolutionReference {
    using Op = graph::Convolution;
    using State = ConvolutionProblem;

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static double estimate(Op const& op, NodeSpec const& node) {
        return convolutionOperations(op, node) / 5e8; // as measured
    }

    static backend::KernelFunction prepare(Op const& op, Problem const& problem, State& state) {
        state = convolutionProblem(op, problem);
        return dispatchFloat(problem.type(), "convolution",
                             [](auto value) -> backend::KernelFunction {
                                 return launchOf<&run<decltype(value)>>;
                             });
    }

private:
    template <typename T>
    static void run(State const& p, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto const* kernel = static_cast<T const*>(call.inputs[p.kernelAt]);
        auto const* bias = p.biasAt == 0 ? nullptr : static_cast<T const*>(call.inputs[p.biasAt]);
        auto* to = static_cast<T*>(call.outputs[0]);
        parallelFor(p.batch * p.maps * p.height.output,
                    grainFor(p.width.output * p.patchSize()), [&](int64_t begin, int64_t end) {
                        for (int64_t row = begin; row < end; ++row) {
                            int64_t const map = row / p.height.output % p.maps;
                            float const start = bias == nullptr ? 0.0F : load(bias[map]);
                            for (int64_t x = 0; x < p.width.output; ++x) {
                                to[row * p.width.output + x] =
                                    store<T>(start + sum(p, from, kernel, row, x));
                            }
                        }
                    });
    }

    /// The sum of one output element; `row` counts [batch, maps, output height].
    template <typename T>
    static float sum(State const& p, T const* from, T const* kernel, int64_t row, int64_t column) {
        int64_t const map = row / p.height.output % p.maps;
        int64_t const image = row / p.height.output / p.maps;
        int64_t const group = map / (p.maps / p.groups);
        T const* weights = kernel + map * p.patchSize();
        float total = 0.0F;
        for (int64_t c = 0; c < p.channels; ++c) {
            T const* plane = from + ((image * p.groups + group) * p.channels + c) *
                                        p.height.input * p.width.input;
            for (int64_t ky = 0; ky < p.height.size; ++ky) {
                for (int64_t kx = 0; kx < p.width.size; ++kx, ++weights) {
                    int64_t const y = p.height.inputOf(row % p.height.output, ky);
                    int64_t const x = p.width.inputOf(column, kx);
                    if (y >= 0 && y < p.height.input && x >= 0 && x < p.width.input) {
                        total += load(*weights) * load(plane[y * p.width.input + x]);
                    }
                }
            }
        }
        return total;
    }
};

} // namespace

void registerKernel_convolution(KernelRegistry& registry) {
    registry.add(entryOf<ConvolutionReference>("convolution_reference"));
}

} // namespace kiln::backends::cpu
