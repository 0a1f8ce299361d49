// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// attention of many queries and keys; see kernels/attention_warpgroups.cuh. The copy engine reads
// queries, keys and values where they have rows of neighbouring channels at multiples of 16 bytes.
#include <memory>

#include "graph/op_registry.h"
#include "targets/cuda/attention_by_warpgroups.h"
#include "targets/cuda/gpu.h"
#include "targets/cuda/kernel_launch.h"
#include "targets/cuda/loaded_code.h"

namespace kiln::targets::cuda {
namespace {

constexpr std::size_t kTensors = 3; ///< queries, keys and values

/// Same layout as in kernels/attention_copies.cuh.
struct WarpgroupArguments {
    CUtensorMap maps[kTensors];
    AttentionInTiles::Arguments all;
};
constexpr int32_t kDescribed = 32;
constexpr int32_t kWideResults = 64;

struct AttentionWarpgroups : AttentionByWarpgroups {
    static std::string refuse(Op const& op, NodeSpec const& node) {
        return refuseAbove(kMostChannels, op, node);
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        AttentionWorkload const at = target::attentionWorkload(op, node);
        bool const many = at.queries >= kQueriesOfGroup && at.keys >= kEnoughKeys;
        // Far slower than AttentionTiles for few: it is not worth the time to compile it.
        return many ? seconds(op, node, 5e14) : 4.0 * seconds(op, node, 2e14);
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        return sourceIn("attention_warpgroups", op, node);
    }

    static std::vector<GridLaunch> prepare(AttentionWorkload const& at, Arguments& arguments) {
        if (at.batch == 0 || at.queries == 0) {
            return {};
        }
        int64_t const places = gpuProblem().empty() ? Gpu::current().multiprocessors : 0;
        int64_t const groups = groupsFor(at, places);
        int64_t const items = describe(at, kQueriesOfGroup * groups, {8, 8, 8, 2}, arguments);
        bool const wide = (arguments.wide & 8) != 0 && at.valueSize % 8 == 0 &&
                          at.output.batch % 8 == 0 && at.output.head % 8 == 0 &&
                          at.output.length % 8 == 0;
        arguments.wide |= wide ? kWideResults : 0;
        GridLaunch launch{"attention",
                          places > 0 ? std::min(items, places) : items,
                          1,
                          1,
                          static_cast<int32_t>(kThreadsOfGroup * (groups + 1)),
                          sharedBytes(at, kStages, groups)};
        launch.overlaps = true;
        return {launch};
    }

    /// Rows that the engine copies at once, of queries or of keys and values.
    static unsigned boxRows(AttentionWorkload const& at, std::size_t tensor) {
        return static_cast<unsigned>(tensor == 0 ? kQueriesOfGroup
                                                 : keysOfTile(at.size, at.valueSize));
    }

private:
    static constexpr int64_t kMostChannels = 256;
    static constexpr int64_t kStages = 2; // as in kernels/attention_copies.cuh
    static constexpr int64_t kEnoughKeys = 128;

    /// Warpgroups that compute: one if the items of more would leave half of the multiprocessors
    /// without work.
    static int64_t groupsFor(AttentionWorkload const& at, int64_t places) {
        constexpr int64_t kMostGroups = 2;
        int64_t const tiles = (at.queries - 1) / (kQueriesOfGroup * kMostGroups) + 1;
        bool const fewItems = at.batch * at.heads <= places / 2 / tiles;
        return at.queries <= kQueriesOfGroup || fewItems ? 1 : kMostGroups;
    }
};

/// What a kernel loads from a plan.
struct Loaded {
    explicit Loaded(target::KernelRecord const& plan)
        : record(plan), op(graph::OpRegistry::instance().load(Attention::kKind, plan.parameters)),
          code(plan.code) {}

    Attention const& attention() const { return static_cast<Attention const&>(*op); }

    target::KernelRecord record;
    std::unique_ptr<graph::Op> op;
    LoadedCode code;
};

class Instance final : public target::KernelInstance {
public:
    explicit Instance(Loaded const& loaded) : loaded_(loaded) {}

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
        Workload const workload{loaded_.record.inputs, loaded_.record.outputs, inputs, outputs};
        target::checkLinear(*loaded_.op, workload);
        target::checkWorkload(*loaded_.op, workload);
        at_ = target::attentionWorkload(loaded_.attention(), workload);
        type_ = workload.type();
        arguments_ = {};
        isBound_ = false;
        launch_.set(loaded_.code, AttentionWarpgroups::prepare(at_, arguments_.all));
        launch_.describe({inputs.size(), outputs.size(), false, nullptr, &arguments_});
    }

    target::Launch launch() override { return {&run, this}; }
    std::string failureText() const override { return launch_.failureText(); }

private:
    static int32_t run(void* state, KernelCall const& call, target::StreamHandle stream) noexcept {
        auto& self = *static_cast<Instance*>(state);
        bool const isKnown =
            self.isBound_ && std::equal(call.inputs, call.inputs + kTensors, self.known_);
        if (!isKnown) {
            self.bind(call);
        }
        return KernelLaunch::run(&self.launch_, call, stream);
    }

    /// Describes the operands at these addresses to the copy engine, if it can copy all.
    void bind(KernelCall const& call) noexcept {
        // With a mask, the keys of a tile have an order of their own.
        bool fits = at_.mask == AttentionWorkload::Mask::kNone && at_.queries > 0 && at_.keys > 0;
        for (std::size_t i = 0; i < kTensors; ++i) {
            known_[i] = call.inputs[i];
            fits = fits && describeTensor(i, call.inputs[i]);
        }
        isBound_ = true;
        arguments_.all.wide &= ~kDescribed;
        arguments_.all.wide |= fits ? kDescribed : 0;
    }

    bool describeTensor(std::size_t tensor, void const* address) noexcept {
        AttentionWorkload::Strides const& own =
            tensor == 0 ? at_.query : (tensor == 1 ? at_.key : at_.value);
        int64_t const heads = tensor == 0 ? at_.heads : at_.heads / at_.group;
        int64_t const counts[] = {tensor == 2 ? at_.valueSize : at_.size,
                                  tensor == 0 ? at_.queries : at_.keys, heads, at_.batch};
        int64_t const along[] = {own.length, own.head, own.batch};
        uint64_t extents[4];
        uint64_t strides[3];
        for (std::size_t i = 0; i < 4; ++i) {
            extents[i] = static_cast<uint64_t>(counts[i]);
        }
        for (std::size_t i = 0; i < 3; ++i) {
            // Where there is but one, any stride will do; that of a repeated tensor, 0, will not.
            strides[i] = counts[i + 1] == 1 ? 16 : static_cast<uint64_t>(along[i]) * 2;
            if (strides[i] == 0 || strides[i] % 16 != 0) {
                return false;
            }
        }
        if (own.channel != 1) {
            return false;
        }
        unsigned const box[] = {kPanelWidth, AttentionWarpgroups::boxRows(at_, tensor), 1, 1};
        unsigned const steps[] = {1, 1, 1, 1};
        auto const* const first = static_cast<unsigned char const*>(address) + own.offset * 2;
        return Driver::instance().tensorMapEncodeTiled(
                   &arguments_.maps[tensor],
                   type_ == DataType::kHALF ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                            : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                   4, const_cast<unsigned char*>(first), extents, strides, box, steps,
                   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                   CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
    }

    static constexpr unsigned kPanelWidth = 64;

    Loaded const& loaded_;
    AttentionWorkload at_;
    DataType type_ = DataType::kHALF;
    WarpgroupArguments arguments_{};
    KernelLaunch launch_;
    void const* known_[kTensors] = {}; ///< addresses that the arguments describe
    bool isBound_ = false;
};

class WarpgroupsKernel final : public target::Kernel {
public:
    explicit WarpgroupsKernel(target::KernelRecord const& record) : loaded_(record) {}

    std::unique_ptr<target::KernelInstance> instantiate() const override {
        return std::make_unique<Instance>(loaded_);
    }

private:
    Loaded loaded_;
};

} // namespace

void registerKernel_attention_warpgroups(KernelRegistry& registry) {
    KernelEntry entry;
    entry.op = Attention::kKind;
    entry.name = "attention_warpgroups";
    entry.refuse = [](NodeSpec const& node) {
        std::string const reason = target::refuseFormats(node);
        return reason.empty()
                   ? AttentionWarpgroups::refuse(static_cast<Attention const&>(node.op), node)
                   : reason;
    };
    entry.estimate = [](NodeSpec const& node) {
        return AttentionWarpgroups::estimate(static_cast<Attention const&>(node.op), node);
    };
    entry.compile = &compileHopperSource<AttentionWarpgroups>;
    entry.load = [](target::KernelRecord const& record,
                    std::span<ConstantOperand const>) -> std::unique_ptr<target::Kernel> {
        return std::make_unique<WarpgroupsKernel>(record);
    };
    registry.add(entry);
}

} // namespace kiln::targets::cuda
