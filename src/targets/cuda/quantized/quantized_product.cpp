// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// KernelRecord::code: uint8 whether the weights are packed (quantized_weights.h), then the code.
#include "targets/cuda/quantized/quantized_product.h"

#include <algorithm>

#include "graph/op_registry.h"
#include "target/workload/node_at.h"
#include "targets/cuda/blaslt/matrix_product.h"
#include "targets/cuda/code_archive.h"
#include "targets/cuda/gpu.h"
#include "targets/cuda/kernel_launch.h"
#include "targets/cuda/kernels.h"
#include "targets/cuda/loaded_code.h"
#include "targets/cuda/quantized/quantized_source.h"
#include "targets/cuda/quantized/quantized_weights.h"

namespace kiln::targets::cuda {
namespace {

using graph::Region;
using target::ConstantOperand;
using target::KernelRecord;
using target::NodeAt;
using target::NodeSpec;
using target::OperandSpec;
using target::Workload;

// As in kernels/quantized_product.cuh.
constexpr int64_t kStepTerms = 64;
constexpr int32_t kThreads = 128;
constexpr int32_t kStages = 4;
constexpr std::size_t kMostLoops = 8;

// As in kernels/quantized_arguments.cuh.
struct Axis {
    int32_t input = 1;
    int32_t output = 1;
    int32_t size = 1;
    int32_t stride = 1;
    int32_t dilation = 1;
    int32_t before = 0;
};
struct Loop {
    int32_t extent = 1;
    int64_t left = 0;
    int64_t right = 0;
    int64_t row = 0;
    int64_t column = 0;
};
struct Arguments {
    int64_t rows;
    int64_t leftRow;
    int64_t leftTerm;
    int64_t rightColumn;
    int64_t rightTerm;
    int64_t resultRow;
    int32_t columns;
    int32_t terms;
    int32_t paddedTerms;
    int32_t taps;
    int32_t steps;
    int32_t packed;
    int32_t wideLeft;
    int32_t wideRight;
    int32_t wideResults;
    int32_t scaleColumn;
    int32_t loops;
    Axis depth;
    Axis height;
    Axis width;
    Loop batch[kMostLoops];
    int64_t rowStrides[QuantizedRegion::kMostOperands];
    int32_t columnStrides[QuantizedRegion::kMostOperands];
};

/// A size of tiles, by the function that has it.
struct TileSize {
    std::string_view function;
    int64_t rows;
    int64_t columns;

    int64_t tiles(Arguments const& arguments) const {
        return (arguments.rows + rows - 1) / rows * ((arguments.columns + columns - 1) / columns);
    }
    int32_t sharedBytes() const {
        return static_cast<int32_t>(
            std::max(kStages * (rows + columns) * kStepTerms, rows * columns * 4));
    }
};
constexpr TileSize kTileSizes[] = {
    {"product_large", 128, 128}, {"product_medium", 64, 64}, {"product_small", 32, 32}};

Region const& regionIn(NodeSpec const& node) {
    return static_cast<Region const&>(node.op);
}

[[noreturn]] void failSize(Dims const& result) {
    fail(ErrorKind::kUnsupported,
         "[cuda] Region: expected a quantized product of less than 2^30 rows, columns and terms, "
         "got a result of {}. Build the plan for this shape.",
         toText(result));
}

Axis axisOf(target::ConvolutionWorkload::Axis const& axis) {
    return {static_cast<int32_t>(axis.input),    static_cast<int32_t>(axis.output),
            static_cast<int32_t>(axis.size),     static_cast<int32_t>(axis.stride),
            static_cast<int32_t>(axis.dilation), static_cast<int32_t>(axis.before)};
}

/// Describes a region at known shapes; the weights are packed or not.
class Describer {
public:
    Describer(QuantizedRegion const& region, Workload const& workload, bool packed)
        : region_(region), workload_(workload), result_(workload.outputs[0]), packed_(packed) {}

    /// Throws kInvalidArgument for shapes that the op does not give, kUnsupported for others.
    Arguments describe() {
        target::checkWorkload(region_.region(), workload_);
        arguments_.packed = packed_ ? 1 : 0;
        if (region_.isConvolution()) {
            describeConvolution();
        } else {
            describeProduct();
        }
        arguments_.paddedTerms = static_cast<int32_t>(paddedTerms(arguments_.terms));
        int64_t const all = std::max<int64_t>(arguments_.taps, 1) * arguments_.paddedTerms;
        arguments_.steps =
            arguments_.terms == 0 ? 0 : static_cast<int32_t>((all + kStepTerms - 1) / kStepTerms);
        describeWidths();
        describeBehind();
        return arguments_;
    }

private:
    void describeConvolution() {
        target::ConvolutionWorkload const c = region_.convolutionAt(workload_);
        int64_t const channels = c.channels * c.groups;
        int64_t const taps = c.depth.size * c.height.size * c.width.size;
        int64_t const padded = paddedTerms(c.channels);
        arguments_.rows = c.batch * c.outputPlane();
        checkSizes(arguments_.rows, c.maps, taps * padded);
        arguments_.leftRow = channels;
        arguments_.leftTerm = 1;
        arguments_.rightColumn = taps * (packed_ ? padded : c.channels);
        arguments_.rightTerm = 1;
        arguments_.resultRow = c.maps;
        arguments_.columns = static_cast<int32_t>(c.maps / c.groups);
        arguments_.terms = static_cast<int32_t>(c.channels);
        arguments_.taps = static_cast<int32_t>(taps);
        arguments_.depth = axisOf(c.depth);
        arguments_.height = axisOf(c.height);
        arguments_.width = axisOf(c.width);
        columns_ = c.maps;
        if (c.groups > 1) {
            addLoop({static_cast<int32_t>(c.groups), c.channels,
                     arguments_.columns * arguments_.rightColumn, 0, arguments_.columns});
        }
    }

    void describeProduct() {
        target::MatrixWorkload const product =
            target::matrixWorkload(region_.multiply(), workload_.inputs[region_.left()],
                                   workload_.inputs[region_.right()], result_);
        std::vector<BatchLoop> loops = batchLoops(product);
        arguments_.rows = foldRows(product, loops);
        checkSizes(arguments_.rows, product.columns, product.inner);
        arguments_.leftRow = product.left.kept;
        arguments_.leftTerm = product.left.summed;
        arguments_.rightColumn = packed_ ? paddedTerms(product.inner) : product.right.kept;
        arguments_.rightTerm = packed_ ? 1 : product.right.summed;
        arguments_.resultRow = product.columns;
        arguments_.columns = static_cast<int32_t>(product.columns);
        arguments_.terms = static_cast<int32_t>(product.inner);
        columns_ = product.columns;
        int64_t const row = std::max<int64_t>(product.columns, 1);
        for (BatchLoop const& loop : loops) {
            addLoop(
                {static_cast<int32_t>(loop.extent), loop.left, loop.right, loop.result / row, 0});
        }
    }

    void checkSizes(int64_t rows, int64_t columns, int64_t terms) const {
        constexpr int64_t kMost = int64_t{1} << 30;
        if (rows >= kMost || columns >= kMost || terms >= kMost) {
            failSize(result_);
        }
    }

    void addLoop(Loop const& loop) {
        arguments_.batch[static_cast<std::size_t>(arguments_.loops++)] = loop;
    }

    /// Words of 16 bytes, and results of four elements, may be moved at once if they begin at
    /// multiples of their size.
    void describeWidths() {
        auto const groups = [](int64_t number) { return number % kTermGroup == 0; };
        bool left = arguments_.leftTerm == 1 && groups(arguments_.terms) &&
                    (groups(arguments_.leftRow) || arguments_.rows <= 1);
        bool right = arguments_.rightTerm == 1 && (packed_ || groups(arguments_.terms)) &&
                     groups(arguments_.rightColumn);
        bool results = arguments_.resultRow % 4 == 0;
        for (int32_t i = 0; i < arguments_.loops; ++i) {
            Loop const& loop = arguments_.batch[i];
            left = left && groups(loop.left);
            right = right && groups(loop.right);
            results = results && loop.column % 4 == 0;
        }
        arguments_.wideLeft = left ? 1 : 0;
        arguments_.wideRight = right ? 1 : 0;
        arguments_.wideResults = results ? 1 : 0;
    }

    void describeBehind() {
        if (volume(workload_.inputs[region_.leftScale()], "scale") != 1) {
            fail(ErrorKind::kUnsupported,
                 "[cuda] Region: expected one scale of the first operand, got {}. Build the plan "
                 "for this shape.",
                 toText(workload_.inputs[region_.leftScale()]));
        }
        arguments_.scaleColumn = region_.scaleStride(
            workload_.inputs[region_.right()], workload_.inputs[region_.rightScale()], columns_);
        for (std::size_t i = 0; i < region_.operands().size(); ++i) {
            std::size_t const input = region_.operands()[i];
            QuantizedRegion::Strides const strides = region_.stridesOf(
                workload_.inputs[input], workload_.inputTypes[input].format, result_);
            arguments_.rowStrides[i] = strides.row;
            arguments_.columnStrides[i] = static_cast<int32_t>(strides.column);
        }
    }

    QuantizedRegion const& region_;
    Workload const& workload_;
    Dims const& result_;
    bool packed_;
    int64_t columns_ = 0; ///< of the result
    Arguments arguments_{};
};

/// Whether the plan has the weights in the order of the kernel.
bool packsWeights(QuantizedRegion const& region, NodeSpec const& node) {
    OperandSpec const& weights = node.inputs[region.right()];
    return weights.constant && isOneMatrix(region, weights.opt) && !isOrdered(region, weights.opt);
}

/// Groups of a convolution fill tiles badly if they are small.
std::string refuseConvolution(QuantizedRegion const& region, NodeSpec const& node) {
    OperandSpec const& weights = node.inputs[region.right()];
    if (!weights.constant) {
        return "expected kernel weights that are constants";
    }
    constexpr int64_t kLeast = 16;
    int64_t const groups = region.convolution().groups;
    if (groups > 1 && (weights.opt.d[1] < kLeast || weights.opt.d[0] / groups < kLeast)) {
        return fmt::format("expected groups of {} channels and maps or more", kLeast);
    }
    return {};
}

std::string refuse(NodeSpec const& node) {
    QuantizedRegion const region(regionIn(node));
    std::string reason = region.problem();
    reason = reason.empty() ? region.nodeProblem(node) : reason;
    if (reason.empty() && region.isConvolution()) {
        reason = refuseConvolution(region, node);
    }
    if (!reason.empty()) {
        return reason;
    }
    try {
        for (auto const corner : NodeAt::kPoints) {
            NodeAt const at(node, corner);
            Workload const workload = at.workload();
            Describer(region, workload, packsWeights(region, node)).describe();
        }
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

double estimate(NodeSpec const& node) {
    constexpr double kLaunch = 3e-6;
    QuantizedRegion const region(regionIn(node));
    double const perSecond = node.inputs[region.left()].type.type == DataType::kFP8 ? 2e14 : 5e14;
    return kLaunch + std::max(target::bytesMoved(node) / kBytesPerSecond,
                              region.operations(node) / perSecond);
}

Bytes compile(NodeSpec const& node, std::span<std::string const> architectures) {
    QuantizedRegion const region(regionIn(node));
    ByteWriter writer;
    writer.put<uint8_t>(packsWeights(region, node) ? 1 : 0);
    Bytes code = writer.take();
    Bytes const compiled = compileFor(quantizedSource(region, node), architectures);
    code.insert(code.end(), compiled.begin(), compiled.end());
    return code;
}

bool isPacked(KernelRecord const& record) {
    return ByteReader(record.code, "code of a quantized product").get<uint8_t>() != 0;
}

/// The op of a record, and what it says.
struct RecordedRegion {
    explicit RecordedRegion(KernelRecord const& record)
        : op(graph::OpRegistry::instance().load(Region::kKind, record.parameters)),
          region(static_cast<Region const&>(*op)) {
        if (!region.problem().empty()) {
            fail(ErrorKind::kCorruptData, "[plan] kernel '{}': {}. Build the plan again.",
                 record.kernel, region.problem());
        }
    }

    std::unique_ptr<graph::Op> op;
    QuantizedRegion region;
};

/// What a kernel loads from a plan.
struct LoadedRegion : RecordedRegion {
    LoadedRegion(KernelRecord const& plan, std::span<ConstantOperand const> constants)
        : RecordedRegion(plan), record(plan), packed(isPacked(plan)),
          code(ByteView(plan.code).subspan(1)) {
        if (packed) {
            checkPacked(constants[region.right()]);
        }
    }

    void checkPacked(ConstantOperand const& weights) const {
        auto const wanted =
            static_cast<std::size_t>(weightOrder(region, weights.dims).packedBytes());
        if (weights.bytes != wanted) {
            fail(ErrorKind::kCorruptData,
                 "[plan] packed quantized weights: expected {} bytes, got {}. Build the plan "
                 "again.",
                 wanted, weights.bytes);
        }
    }

    KernelRecord record;
    bool packed;
    LoadedCode code;
};

class QuantizedInstance final : public target::KernelInstance {
public:
    explicit QuantizedInstance(LoadedRegion const& loaded) : loaded_(loaded) {}

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
        Workload const workload{loaded_.record.inputs, loaded_.record.outputs, inputs, outputs};
        if (std::string const problem = loaded_.region.formatProblem(
                workload.inputTypes, workload.outputTypes[0], outputs[0].nbDims);
            !problem.empty()) {
            fail(ErrorKind::kUnsupported, "[shape] Region: {}. Build the plan again.", problem);
        }
        arguments_ = Describer(loaded_.region, workload, loaded_.packed).describe();
        launch_.set(loaded_.code, {launchFor(outputs[0])});
        launch_.describe({inputs.size(), outputs.size(), false, nullptr, &arguments_});
    }

    target::Launch launch() override { return {&KernelLaunch::run, &launch_}; }
    std::string failureText() const override { return launch_.failureText(); }

private:
    /// The largest tiles of which there are enough for all multiprocessors.
    GridLaunch launchFor(Dims const& result) const {
        int64_t products = 1;
        for (int32_t i = 0; i < arguments_.loops; ++i) {
            products *= arguments_.batch[i].extent;
        }
        int64_t const wanted = gpuProblem().empty() ? Gpu::current().multiprocessors : 1;
        TileSize const* chosen = &kTileSizes[0];
        for (TileSize const& size : kTileSizes) {
            chosen = &size;
            if (products * size.tiles(arguments_) >= wanted) {
                break;
            }
        }
        int64_t const blocks = products * chosen->tiles(arguments_);
        if (blocks > INT32_MAX) {
            failSize(result);
        }
        return {chosen->function, blocks, 1, 1, kThreads, chosen->sharedBytes()};
    }

    LoadedRegion const& loaded_;
    Arguments arguments_{};
    KernelLaunch launch_;
};

class QuantizedKernel final : public target::Kernel {
public:
    QuantizedKernel(KernelRecord const& record, std::span<ConstantOperand const> constants)
        : loaded_(record, constants) {}

    std::unique_ptr<target::KernelInstance> instantiate() const override {
        return std::make_unique<QuantizedInstance>(loaded_);
    }

private:
    LoadedRegion loaded_;
};

std::vector<target::PackedOperand> packs(KernelRecord const& record) {
    constexpr uint16_t kByColumns = 1;
    if (!isPacked(record)) {
        return {};
    }
    return {{RecordedRegion(record).region.right(), kByColumns}};
}

Bytes pack(KernelRecord const& record, std::size_t, ConstantOperand const& original) {
    return packWeights(RecordedRegion(record).region,
                       {static_cast<std::byte const*>(original.host), original.bytes},
                       original.dims);
}

} // namespace

target::KernelEntry regionQuantized() {
    target::KernelEntry entry;
    entry.op = Region::kKind;
    entry.name = "region_quantized";
    entry.refuse = &refuse;
    entry.estimate = &estimate;
    entry.compile = &compile;
    entry.load = [](KernelRecord const& record,
                    std::span<ConstantOperand const> constants) -> std::unique_ptr<target::Kernel> {
        return std::make_unique<QuantizedKernel>(record, constants);
    };
    entry.packs = &packs;
    entry.pack = &pack;
    return entry;
}

} // namespace kiln::targets::cuda
