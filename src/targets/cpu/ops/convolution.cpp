// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// convolution: y[n, m, oy, ox] = bias[m] + sum over c, ky, kx of kernel[m, c, ky, kx] * x[n,
// group(m) * C/groups + c, oy * stride - pad + ky * dilation, ...], zeros outside the input; 1 to 3
// spatial axes, row-major. float32, float16 and bfloat16, summed in float32. The blocked kernel is
// a matrix product of the kernel [maps, patch] and the patches [patch, pixels], which are gathered
// tile by tile; threads share the tiles. The reference computes one output at a time; threads share
// the rows.
#include "graph/ops/convolution.h"

#include "target/constant_copies.h"
#include "targets/cpu/convolution_patches.h"
#include "targets/cpu/copy.h"
#include "targets/cpu/onednn/onednn.h"
#include "targets/cpu/winograd/winograd.h"

namespace kiln::targets::cpu {
namespace {

using target::convolutionOperations;
using target::convolutionWorkload;

struct ConvolutionBlocked {
    using Op = graph::Convolution;
    struct State {
        ConvolutionWorkload p;
        float const* packedKernel = nullptr; ///< null: the operand is read directly
    };
    /// A constant float16 kernel as float32; null for other types or if the budget is used up.
    struct Packed {
        target::ConvertedPtr kernel;
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static double estimate(Op const& op, NodeSpec const& node) {
        Dims const& output = node.outputs[0].opt;
        double pixels = static_cast<double>(output.d[0]);
        for (int32_t i = 2; i < output.nbDims; ++i) {
            pixels *= static_cast<double>(output.d[i]);
        }
        double const maps = static_cast<double>(op.maps / op.groups);
        double const patch = convolutionOperations(op, node) /
                             std::max(1.0, 2.0 * pixels * static_cast<double>(op.maps));
        // Gathering a patch costs about as much as multiplying it with four maps.
        return tileSeconds(static_cast<double>(op.groups), maps + 4.0, pixels, patch);
    }

    static Packed pack(Op const& op, target::KernelRecord const& record,
                       std::span<ConstantOperand const> constants) {
        std::size_t const at = op.places(record.inputs.size()).kernel;
        Packed packed;
        if (at < constants.size() && constants[at].host != nullptr &&
            record.inputs[at].type == DataType::kHALF) {
            packed.kernel = target::halvesAsFloats(
                {static_cast<std::byte const*>(constants[at].host), constants[at].bytes},
                [](Half const* from, float* to, int64_t count) { toFloats(from, to, count); });
        }
        return packed;
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state,
                                          Packed const& packed) {
        state.p = convolutionWorkload(op, workload);
        // Ignores a constant whose size does not match the shape.
        std::span<float const> const kernel =
            packed.kernel != nullptr ? packed.kernel->floats() : std::span<float const>();
        bool const fits = !kernel.empty() &&
                          static_cast<int64_t>(kernel.size()) == state.p.maps * state.p.patchSize();
        state.packedKernel = fits ? kernel.data() : nullptr;
        return dispatchFloat(
            workload.type(), "convolution",
            [](auto value) -> target::KernelFunction { return launchOf<&run<decltype(value)>>; });
    }

private:
    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        ConvolutionWorkload const& p = state.p;
        int64_t const pixels = p.batch * p.outputPlane();
        int64_t const across = tilesOf(pixels, kTileColumns);
        int64_t const down = tilesOf(p.maps / p.groups, kTileRows);
        parallelFor(p.groups * down * across, grainFor(kTileRows * p.patchSize() * 4),
                    [&](int64_t begin, int64_t end) {
                        Tile tile;
                        for (int64_t task = begin; task < end; ++task) {
                            int64_t const first = task % across * kTileColumns;
                            PixelTile const columns =
                                pixelTile(p, first, std::min(kTileColumns, pixels - first));
                            compute<T>(state, call, task / across / down,
                                       task / across % down * kTileRows, columns, tile);
                        }
                    });
    }

    /// One tile: some maps of a group, starting at `row`, by some pixels.
    template <typename T>
    static void compute(State const& state, KernelCall const& call, int64_t group, int64_t row,
                        PixelTile const& columns, Tile& tile) {
        ConvolutionWorkload const& p = state.p;
        auto const* input = static_cast<T const*>(call.inputs[0]);
        auto const* kernel = static_cast<T const*>(call.inputs[p.kernelAt]);
        int64_t const rows = std::min(kTileRows, p.maps / p.groups - row);
        int64_t const map = group * (p.maps / p.groups) + row;
        int64_t const patch = p.patchSize();
        for (int64_t i = 0; i < rows; ++i) {
            float const start =
                p.biasAt == 0 ? 0.0F : load(static_cast<T const*>(call.inputs[p.biasAt])[map + i]);
            std::fill_n(tile.c + i * kTileColumns, kTileColumns, start);
        }
        for (int64_t k = 0; k < patch; k += kTileDepth) {
            int64_t const depth = std::min(kTileDepth, patch - k);
            packPatches(p, input, group, columns, k, depth, tile.b);
            float const* a = tile.a;
            int64_t lda = patch;
            if (state.packedKernel != nullptr) {
                a = state.packedKernel + map * patch + k;
            } else if constexpr (std::is_same_v<T, float>) {
                a = kernel + map * patch + k;
            } else {
                packRows(kernel + map * patch + k, patch, 1, rows, depth, tile.a, kTileDepth);
                lda = kTileDepth;
            }
            isa().tileProduct(rows, columns.columns, depth, a, lda, tile.b, kTileColumns, tile.c);
        }
        write(p, columns, map, rows, tile.c, static_cast<T*>(call.outputs[0]));
    }

    template <typename T>
    static void write(ConvolutionWorkload const& p, PixelTile const& columns, int64_t map,
                      int64_t rows, float const* c, T* to) {
        for (int64_t i = 0; i < rows; ++i) {
            for (int64_t r = 0; r < columns.runCount; ++r) {
                PixelTile::Run const& run = columns.runs[r];
                int64_t const plane = run.image * p.maps + map + i;
                fromFloats(c + i * kTileColumns + run.column,
                           to + plane * p.outputPlane() +
                               (run.z * p.height.output + run.y) * p.width.output + run.x,
                           run.count);
            }
        }
    }
};

struct ConvolutionReference {
    using Op = graph::Convolution;
    using State = ConvolutionWorkload;

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static double estimate(Op const& op, NodeSpec const& node) {
        return convolutionOperations(op, node) / 5e8; // measured
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = convolutionWorkload(op, workload);
        return dispatchFloat(
            workload.type(), "convolution",
            [](auto value) -> target::KernelFunction { return launchOf<&run<decltype(value)>>; });
    }

private:
    template <typename T>
    static void run(State const& p, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto const* kernel = static_cast<T const*>(call.inputs[p.kernelAt]);
        auto const* bias = p.biasAt == 0 ? nullptr : static_cast<T const*>(call.inputs[p.biasAt]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const rows = p.depth.output * p.height.output; // of one map
        parallelFor(p.batch * p.maps * rows, grainFor(p.width.output * p.patchSize()),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t row = begin; row < end; ++row) {
                            int64_t const map = row / rows % p.maps;
                            float const start = bias == nullptr ? 0.0F : load(bias[map]);
                            for (int64_t x = 0; x < p.width.output; ++x) {
                                to[row * p.width.output + x] =
                                    store<T>(start + sum(p, from, kernel, row, x));
                            }
                        }
                    });
    }

    /// The sum of one output element; `row` counts [batch, maps, output depth, output height].
    template <typename T>
    static float sum(State const& p, T const* from, T const* kernel, int64_t row, int64_t column) {
        int64_t const rows = p.depth.output * p.height.output;
        int64_t const map = row / rows % p.maps;
        int64_t const image = row / rows / p.maps;
        int64_t const depth = row / p.height.output % p.depth.output;
        int64_t const group = map / (p.maps / p.groups);
        T const* weights = kernel + map * p.patchSize();
        float total = 0.0F;
        for (int64_t c = 0; c < p.channels; ++c) {
            T const* plane = from + ((image * p.groups + group) * p.channels + c) * p.inputPlane();
            for (int64_t kz = 0; kz < p.depth.size; ++kz) {
                int64_t const z = p.depth.inputOf(depth, kz);
                bool const inside = z >= 0 && z < p.depth.input;
                T const* slice = inside ? plane + z * p.height.input * p.width.input : nullptr;
                total += sumOfSlice(p, slice, weights, row % p.height.output, column);
                weights += p.height.size * p.width.size;
            }
        }
        return total;
    }

    /// The part of the sum from one channel at one depth; 0 outside the input.
    template <typename T>
    static float sumOfSlice(State const& p, T const* slice, T const* weights, int64_t row,
                            int64_t column) {
        float total = 0.0F;
        for (int64_t ky = 0; ky < p.height.size && slice != nullptr; ++ky) {
            for (int64_t kx = 0; kx < p.width.size; ++kx) {
                int64_t const y = p.height.inputOf(row, ky);
                int64_t const x = p.width.inputOf(column, kx);
                if (y >= 0 && y < p.height.input && x >= 0 && x < p.width.input) {
                    total +=
                        load(weights[ky * p.width.size + kx]) * load(slice[y * p.width.input + x]);
                }
            }
        }
        return total;
    }
};

} // namespace

void registerKernel_convolution(KernelRegistry& registry) {
    onednn::addKernel(registry, graph::Convolution::kKind, "convolution_onednn");
    addWinograd(registry, graph::Convolution::kKind);
    registry.add(entryOf<ConvolutionBlocked>("convolution_blocked"));
    registry.add(entryOf<ConvolutionReference>("convolution_reference"));
}

} // namespace kiln::targets::cpu
