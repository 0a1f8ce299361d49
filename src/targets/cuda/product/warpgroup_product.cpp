// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/product/warpgroup_product.h"

#include <algorithm>
#include <optional>

#include "graph/op_registry.h"
#include "target/workload/node_at.h"
#include "targets/cuda/anchor/anchored_region.h"
#include "targets/cuda/code_archive.h"
#include "targets/cuda/gpu.h"
#include "targets/cuda/kernel_launch.h"
#include "targets/cuda/kernels.h"
#include "targets/cuda/loaded_code.h"
#include "targets/cuda/product/product_region.h"
#include "targets/cuda/region_entry.h"

namespace kiln::targets::cuda {
namespace {

using graph::Region;
using target::KernelCall;
using target::NodeSpec;
using target::OperandSpec;
using target::Workload;

// As in kernels/product_warpgroups.cuh.
constexpr int64_t kTileRows = 128;
constexpr int64_t kTileColumns = 256;
constexpr unsigned kPanelWidth = 64;
constexpr int32_t kThreads = 3 * 128;
constexpr int32_t kShared = 2 * (4 * (128 + 256) * 64 + 8 * 16 * 64);
constexpr int32_t kDescribed = 1;
constexpr int32_t kWideResults = 2;
constexpr int32_t kOneRow = 4;

struct Arguments {
    CUtensorMap left;
    CUtensorMap right;
    int32_t rows;
    int32_t columns;
    int32_t terms;
    int32_t tilesDown;
    int32_t tilesAcross;
    int32_t wide;
    int64_t rightStride;
    int64_t rowStrides[ProductRegion::kMostOperands];
    int32_t columnStrides[ProductRegion::kMostOperands];
};

int64_t tilesOf(int64_t extent, int64_t tile) {
    return extent / tile + (extent % tile != 0 ? 1 : 0);
}

Region const& regionIn(NodeSpec const& node) {
    return static_cast<Region const&>(node.op);
}

std::string refuseTypes(NodeSpec const& node) {
    DataType const type = node.outputs[0].type.type;
    if (type != DataType::kHALF && type != DataType::kBF16) {
        return fmt::format("expected float16 or bfloat16, got {}", nameOf(type));
    }
    for (OperandSpec const& input : node.inputs) {
        if (input.type.type != type) {
            return "expected operands of one element type";
        }
    }
    return target::refuseFormats(node);
}

std::string refuse(NodeSpec const& node) {
    Region const& region = regionIn(node);
    ProductRegion const product(region);
    std::string reason = product.problem();
    reason = reason.empty() ? refuseTypes(node) : reason;
    reason = reason.empty() ? refuseUnlessUniform(region, node) : reason;
    if (!reason.empty()) {
        return reason;
    }
    reason = product.chainProblem(node);
    if (!reason.empty()) {
        return reason;
    }
    try {
        for (auto const corner : target::NodeAt::kPoints) {
            target::NodeAt const at(node, corner);
            ProductRegion::Described const found = product.describe(at.workload());
            if (found.columns % 8 != 0 || found.terms % 8 != 0 || found.terms == 0) {
                return fmt::format("expected rows of whole 16 bytes, got {} terms and {} columns",
                                   found.terms, found.columns);
            }
        }
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

double estimate(NodeSpec const& node) {
    constexpr double kLaunch = 3e-6;
    constexpr double kMultiprocessors = 132.0;
    constexpr double kPerSecond = 5e14 / kMultiprocessors;
    ProductRegion const product(regionIn(node));
    ProductRegion::Described const found =
        product.describe(target::NodeAt(node, target::NodeAt::Point::kOptimum).workload());
    double const tiles =
        static_cast<double>(tilesOf(found.rows, kTileRows) * tilesOf(found.columns, kTileColumns));
    double const rounds = std::max(1.0, tiles / kMultiprocessors);
    double const work = rounds * 2.0 * kTileRows * kTileColumns * static_cast<double>(found.terms);
    // Not worth the time to compile it if most multiprocessors have no tile.
    double const few = tiles < 0.6 * kMultiprocessors ? 8.0 : 1.0;
    return few *
           (kLaunch + std::max(target::bytesMoved(node) / kBytesPerSecond, work / kPerSecond));
}

/// What a kernel loads from a plan.
struct LoadedRegion {
    explicit LoadedRegion(target::KernelRecord const& plan)
        : record(plan), op(graph::OpRegistry::instance().load(Region::kKind, plan.parameters)),
          product(static_cast<Region const&>(*op)), code(plan.code) {
        if (!product.problem().empty()) {
            fail(ErrorKind::kCorruptData, "[plan] kernel '{}': {}. Build the plan again.",
                 plan.kernel, product.problem());
        }
    }

    target::KernelRecord record;
    std::unique_ptr<graph::Op> op;
    ProductRegion product;
    LoadedCode code;
};

bool isAligned(void const* address, uintptr_t bytes) {
    return reinterpret_cast<uintptr_t>(address) % bytes == 0;
}

class RegionInstance final : public target::KernelInstance {
public:
    explicit RegionInstance(LoadedRegion const& loaded) : loaded_(loaded) {}

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
        Workload const workload{loaded_.record.inputs, loaded_.record.outputs, inputs, outputs};
        target::checkLinear(*loaded_.op, workload);
        described_ = loaded_.product.describe(workload);
        type_ = workload.type();
        if (described_.terms == 0) {
            fail(
                ErrorKind::kUnsupported,
                "[cuda] Region: expected products of one term or more before other operations, got "
                "none. Build the plan for this shape.");
        }
        known_.clear();
        known_.reserve(inputs.size() + 1); // a run must not allocate
        int64_t const down = tilesOf(described_.rows, kTileRows);
        int64_t const across = tilesOf(described_.columns, kTileColumns);
        setArguments(down, across);
        GridLaunch launch{"product", gridFor(down * across), 1, 1, kThreads, kShared};
        launch.overlaps = true;
        launch_.set(loaded_.code, {launch});
        launch_.describe({inputs.size(), outputs.size(), false, nullptr, &arguments_});
    }

    target::Launch launch() override { return {&run, this}; }
    std::string failureText() const override { return launch_.failureText(); }

private:
    /// Blocks that run at the same time; each takes several tiles.
    static int64_t gridFor(int64_t tiles) {
        return gpuProblem().empty() ? std::min<int64_t>(tiles, Gpu::current().multiprocessors)
                                    : tiles;
    }

    void setArguments(int64_t down, int64_t across) {
        if (down * across > INT32_MAX) {
            fail(ErrorKind::kUnsupported,
                 "[cuda] Region: expected less than 2^31 tiles of a product, got {} by {} results. "
                 "Split it.",
                 described_.rows, described_.columns);
        }
        arguments_ = {};
        arguments_.rows = static_cast<int32_t>(described_.rows);
        arguments_.columns = static_cast<int32_t>(described_.columns);
        arguments_.terms = static_cast<int32_t>(described_.terms);
        arguments_.tilesDown = static_cast<int32_t>(down);
        arguments_.tilesAcross = static_cast<int32_t>(across);
        arguments_.rightStride = described_.rightStride;
        for (std::size_t i = 0; i < ProductRegion::kMostOperands; ++i) {
            arguments_.rowStrides[i] = described_.operands[i].row;
            arguments_.columnStrides[i] = static_cast<int32_t>(described_.operands[i].column);
        }
    }

    static int32_t run(void* state, KernelCall const& call, target::StreamHandle stream) noexcept {
        auto& self = *static_cast<RegionInstance*>(state);
        if (!self.knows(call)) {
            self.bind(call);
        }
        return KernelLaunch::run(&self.launch_, call, stream);
    }

    /// Whether the arguments are those for these addresses.
    bool knows(KernelCall const& call) const noexcept {
        std::size_t const inputs = loaded_.record.inputs.size();
        return known_.size() == inputs + 1 && known_.back() == call.outputs[0] &&
               std::equal(call.inputs, call.inputs + inputs, known_.begin());
    }

    void bind(KernelCall const& call) noexcept {
        void const* const left = call.inputs[loaded_.product.left()];
        void const* const right = call.inputs[loaded_.product.right()];
        bool const down = loaded_.product.isRightByTerms();
        auto const columns = static_cast<uint64_t>(described_.columns);
        auto const terms = static_cast<uint64_t>(described_.terms);
        bool const fits = describeMatrix(arguments_.left, left, terms,
                                         static_cast<uint64_t>(described_.rows), kTileRows) &&
                          describeMatrix(arguments_.right, right, down ? columns : terms,
                                         down ? terms : columns, kPanelWidth);
        bool const wide = isAligned(call.outputs[0], 16) && described_.columns % 8 == 0;
        std::vector<std::size_t> const& operands = loaded_.product.operands();
        bool const oneRow = operands.size() == 1 && described_.columns % 2 == 0 &&
                            described_.operands[0].row == 0 && described_.operands[0].column == 1 &&
                            isAligned(call.inputs[operands[0]], 4);
        arguments_.wide =
            (fits ? kDescribed : 0) | (wide ? kWideResults : 0) | (oneRow ? kOneRow : 0);
        known_.assign(call.inputs, call.inputs + loaded_.record.inputs.size());
        known_.push_back(call.outputs[0]);
    }

    /// Describes a matrix to the copy engine, which copies 64 elements of `boxRows` rows at a time;
    /// false if it cannot.
    bool describeMatrix(CUtensorMap& map, void const* address, uint64_t columns, uint64_t rows,
                        unsigned boxRows) const noexcept {
        uint64_t const extents[] = {columns, rows};
        uint64_t const strides[] = {columns * 2};
        unsigned const box[] = {kPanelWidth, boxRows};
        unsigned const steps[] = {1, 1};
        return Driver::instance().tensorMapEncodeTiled(
                   &map,
                   type_ == DataType::kHALF ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                            : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                   2, const_cast<void*>(address), extents, strides, box, steps,
                   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                   CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
    }

    LoadedRegion const& loaded_;
    ProductRegion::Described described_;
    DataType type_ = DataType::kHALF;
    Arguments arguments_{};
    KernelLaunch launch_;
    std::vector<void const*> known_; ///< addresses of the inputs and of the output
};

} // namespace

target::KernelEntry regionWarpgroups() {
    target::KernelEntry entry =
        regionEntry<LoadedRegion, RegionInstance>("region_warpgroups", &refuse, &estimate);
    entry.compile = [](NodeSpec const& node, std::span<std::string const> architectures) {
        return compileForHopper(ProductRegion(regionIn(node)).source(node), architectures);
    };
    return entry;
}

} // namespace kiln::targets::cuda
