// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// winograd: convolutions of 3 x 3 with stride 1 and constant weights, alone or with pointwise
// operations behind them; float32. Tiles of 2 x 2 results take 16 multiplications where a plain sum
// takes 36, and tiles of 4 x 4 take 36 of 144. Each tensor is linear or has its channels last. A
// ReLU or a clip is applied as results are written, other operations run in place on them.
//
// The transformed weights are up to nine times as large as the weights, so plans do not hold them:
// they are computed when a plan is opened.
//
// Largest errors of 64 channels of numbers from -1 to 1, relative to the largest result: 3e-7 with
// tiles of 2, 1e-6 with tiles of 4, 3e-7 to 5e-7 with plain sums. An infinity makes NaN of all
// results of its tile.
#include "targets/cpu/winograd/winograd.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/tensor_layout.h"
#include "graph/ops/region.h"
#include "target/constant_copies.h"
#include "targets/cpu/op_kernel.h"
#include "targets/cpu/winograd/parts.h"

namespace kiln::targets::cpu {
namespace {

using graph::Convolution;
using graph::Region;
using target::ConvolutionWorkload;
using target::NodeAt;
using target::OperandType;

constexpr int64_t kMostSlots = 1024;

void runKernel(WinogradState const& state, KernelCall const& call, std::size_t source) {
    float const* const bias =
        state.biasAt == 0 ? nullptr : static_cast<float const*>(call.inputs[state.biasAt]);
    runWinograd(state.plan, {static_cast<float const*>(call.inputs[source]), state.weights, bias,
                             static_cast<float*>(call.outputs[0]),
                             static_cast<float*>(call.workspace), state.least, state.most});
    state.tail.run(call);
}

int64_t slotsOf(target::KernelRecord const& record) {
    ByteReader reader(record.code, "slots of a kernel for tiles");
    auto const slots = reader.get<int64_t>();
    reader.finish();
    if (slots < 1 || slots > kMostSlots) {
        fail(ErrorKind::kCorruptData,
             "[plan] kernel '{}': expected 1 to {} slots, got {}. Build the plan again.",
             record.kernel, kMostSlots, slots);
    }
    return slots;
}

template <int64_t kSide>
class WinogradKernel final : public target::Kernel {
public:
    WinogradKernel(target::KernelRecord const& record, std::span<ConstantOperand const> constants)
        : op_(graph::OpRegistry::instance().load(record.op, record.parameters)),
          parts_(winogradParts(*op_, record.inputs.size())), inputs_(record.inputs),
          outputs_(record.outputs), slots_(slotsOf(record)) {
        std::string problem = parts_.refusal;
        auto const isThere = [&](std::size_t input) { return input < inputs_.size(); };
        if (problem.empty() &&
            (!std::ranges::all_of(parts_.inputs, isThere) ||
             parts_.kernelAt() >= constants.size() ||
             constants[parts_.kernelAt()].host == nullptr || outputs_.size() != 1)) {
            problem = "expected constant weights and one output";
        }
        if (problem.empty()) {
            problem = transform(constants[parts_.kernelAt()]);
        }
        if (!problem.empty()) {
            fail(ErrorKind::kCorruptData, "[plan] kernel '{}': {}. Build the plan again.",
                 record.kernel, problem);
        }
    }

    std::unique_ptr<target::KernelInstance> instantiate() const override {
        return std::make_unique<Instance>(*this);
    }
    std::size_t ownBytes() const noexcept override { return weights_->floats().size_bytes(); }

private:
    class Instance final : public target::KernelInstance {
    public:
        explicit Instance(WinogradKernel const& kernel) : kernel_(kernel) {}

        void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
            Workload const workload{kernel_.inputs_, kernel_.outputs_, inputs, outputs};
            target::checkWorkload(*kernel_.op_, workload);
            std::string problem = winogradProblem(kernel_.parts_, workload, kSide, state_);
            if (problem.empty() && (state_.plan.p.maps != kernel_.maps_ ||
                                    state_.plan.p.channels != kernel_.channels_)) {
                problem =
                    fmt::format("expected {} maps of {} channels, got {} of {}", kernel_.maps_,
                                kernel_.channels_, state_.plan.p.maps, state_.plan.p.channels);
            }
            if (!problem.empty()) {
                fail(ErrorKind::kUnsupported,
                     "[shape] {}, kernel 'winograd_{}': {}. Build the engine with a profile for "
                     "these shapes.",
                     kernel_.op_->kind(), kSide, problem);
            }
            state_.plan.slots = kernel_.slots_;
            state_.plan.plan(std::min<int64_t>(kernel_.slots_, threadCount()));
            state_.weights = kernel_.weights_->floats().data();
        }

        std::size_t workspaceBytes(std::span<Dims const> inputs,
                                   std::span<Dims const>) const override {
            int64_t const channels = inputs[kernel_.parts_.inputs[0]].d[1];
            return static_cast<std::size_t>(kernel_.slots_ * winogradSlotFloats(kSide, channels)) *
                   sizeof(float);
        }

        target::Launch launch() override { return {run, this}; }

    private:
        static int32_t run(void* self, KernelCall const& call, target::StreamHandle) noexcept {
            auto const& instance = *static_cast<Instance const*>(self);
            runKernel(instance.state_, call, instance.kernel_.parts_.inputs[0]);
            return 0;
        }

        WinogradKernel const& kernel_;
        WinogradState state_;
    };

    /// Sets the weights; else returns why they do not fit.
    std::string transform(ConstantOperand const& original) {
        Dims const& dims = original.dims;
        bool const fits = dims.nbDims == 4 && dims.d[2] == 3 && dims.d[3] == 3 &&
                          inputs_[parts_.kernelAt()] == OperandType{} &&
                          original.bytes == storageBytes(DataType::kFLOAT, TensorFormat::kLINEAR,
                                                         dims, "weights of a convolution");
        if (!fits) {
            return fmt::format("expected float32 weights of 3 x 3, got {} with {} bytes",
                               toText(dims), original.bytes);
        }
        maps_ = dims.d[0];
        channels_ = dims.d[1];
        if (std::string problem = winogradSizeProblem(kSide, maps_, channels_); !problem.empty()) {
            return problem;
        }
        auto const count = static_cast<std::size_t>(winogradWeights(kSide, maps_, channels_));
        auto const* from = static_cast<float const*>(original.host);
        weights_ = target::converted(
            {static_cast<std::byte const*>(original.host), original.bytes},
            kSide == 2 ? "winograd 2" : "winograd 4", count,
            [&](std::span<float> to) { packWinograd(kSide, maps_, channels_, from, to.data()); });
        return weights_ == nullptr
                   ? fmt::format("expected fewer copies of weights, got one more of {} bytes",
                                 count * sizeof(float))
                   : std::string();
    }

    std::unique_ptr<graph::Op> op_;
    WinogradParts parts_;
    std::vector<OperandType> inputs_;
    std::vector<OperandType> outputs_;
    int64_t slots_;
    int64_t maps_ = 0;
    int64_t channels_ = 0;
    target::ConvertedPtr weights_;
};

/// Whether all weights are whole numbers. Integer convolutions are computed with floats, exactly as
/// long as nothing is divided; the transformed weights have fractions.
bool areWhole(ByteView data) {
    auto const* weights = reinterpret_cast<float const*>(data.data());
    return std::all_of(weights, weights + data.size() / sizeof(float),
                       [](float weight) { return weight == std::floor(weight); });
}

template <int64_t kSide>
std::string refuse(NodeSpec const& node) {
    WinogradParts const parts = winogradParts(node.op, node.inputs.size());
    if (!parts.refusal.empty()) {
        return parts.refusal;
    }
    if (parts.kernelAt() >= node.inputs.size() || !node.inputs[parts.kernelAt()].constant) {
        return "expected constant weights";
    }
    target::OperandSpec const& kernel = node.inputs[parts.kernelAt()];
    if (kernel.recipe != nullptr && kernel.data.empty()) {
        return "expected weights that are not computed, which may be whole numbers";
    }
    for (NodeAt::Point const point : NodeAt::kPoints) {
        NodeAt const at(node, point);
        WinogradState state;
        if (std::string reason = winogradProblem(parts, at.workload(), kSide, state);
            !reason.empty()) {
            return reason;
        }
    }
    // Last, because it reads them all.
    return !kernel.data.empty() && areWhole(kernel.data)
               ? "expected weights with fractions: sums of whole numbers are exact"
               : std::string();
}

template <int64_t kSide>
double estimate(NodeSpec const& node) {
    NodeAt const at(node, NodeAt::Point::kOptimum);
    ConvolutionWorkload const p =
        winogradWorkload(winogradParts(node.op, node.inputs.size()), at.workload());
    double const tiles = static_cast<double>(p.batch) *
                         std::ceil(static_cast<double>(p.height.output) / kSide) *
                         std::ceil(static_cast<double>(p.width.output) / kSide);
    double const points = (kSide + 2) * (kSide + 2);
    // The transforms take as long as products with 24 maps. Measured as oneDNN's: both are timed.
    return tiles * points * 2.0 * static_cast<double>(p.channels * (p.maps + 24)) / 8e10 + 1e-6;
}

template <int64_t kSide>
void addKernel(KernelRegistry& registry, std::string_view op) {
    KernelEntry entry;
    entry.op = op;
    entry.name =
        fmt::format("{}_winograd_{}", op == Region::kKind ? "region" : "convolution", kSide);
    entry.refuse = refuse<kSide>;
    entry.estimate = estimate<kSide>;
    entry.compile = [](NodeSpec const&, std::span<std::string const>) {
        ByteWriter writer;
        writer.put(std::min<int64_t>(threadCount(), kMostSlots));
        return writer.take();
    };
    entry.load = [](target::KernelRecord const& record,
                    std::span<ConstantOperand const> constants) -> std::unique_ptr<target::Kernel> {
        return std::make_unique<WinogradKernel<kSide>>(record, constants);
    };
    registry.add(entry);
}

} // namespace

void addWinograd(KernelRegistry& registry, std::string_view op) {
    addKernel<2>(registry, op);
    addKernel<4>(registry, op);
}

} // namespace kiln::targets::cpu
