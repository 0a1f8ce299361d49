// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// DistCollective: one call of NCCL between the devices of the communicator that the context has.
// What is only moved is moved as bytes. Exchanges that NCCL has no function for are sends and
// receives in one group.
#include "graph/ops/dist_collective.h"

#include <optional>

#include "graph/op_registry.h"
#include "target/communicator.h"
#include "target/kernel_registry.h"
#include "target/workload/workload.h"
#include "targets/cuda/gpu.h"
#include "targets/cuda/kernel_source.h"
#include "targets/cuda/nccl/nccl.h"

namespace kiln::targets::cuda {
namespace {

using graph::DistCollective;
using nvinfer1::CollectiveOperation;
using target::KernelCall;
using target::NodeSpec;

std::optional<NcclType> ncclTypeOf(DataType type) {
    switch (type) {
    case DataType::kFLOAT: return NcclType::kFloat;
    case DataType::kHALF: return NcclType::kHalf;
    case DataType::kBF16: return NcclType::kBfloat16;
    case DataType::kINT8: return NcclType::kInt8;
    case DataType::kUINT8: return NcclType::kUint8;
    case DataType::kINT32: return NcclType::kInt32;
    case DataType::kINT64: return NcclType::kInt64;
    default: return std::nullopt;
    }
}

std::string refuse(NodeSpec const& node) {
    auto const& op = static_cast<DistCollective const&>(node.op);
    DataType const type = node.inputs[0].type.type;
    std::string const reason = target::refuseFormats(node);
    if (!reason.empty()) {
        return reason;
    }
    if (op.reduces() && !ncclTypeOf(type).has_value()) {
        return fmt::format("expected a type that NCCL reduces, got {}", nameOf(type));
    }
    for (int32_t i = 0; i < op.groupSize; ++i) {
        if (op.group[static_cast<std::size_t>(i)] != i) {
            return "expected a group of all ranks in order, got another one. Make a communicator "
                   "of the ranks that take part, and leave the group empty";
        }
    }
    return refuseSubByte(type);
}

std::string lacks() {
    return gpuProblem().empty() ? Nccl::problem() : std::string();
}

/// One collective operation in one context.
class CollectiveInstance final : public target::KernelInstance {
public:
    CollectiveInstance(DistCollective const& op, DataType type) : op_(op), type_(type) {}

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
        from_ = volume(inputs[0], DistCollective::kKind);
        to_ = volume(outputs[0], DistCollective::kKind);
    }
    target::Launch launch() override { return {&run, this}; }
    std::string failureText() const override { return failure_ == nullptr ? "" : failure_; }

private:
    static int32_t run(void* state, KernelCall const& call, target::StreamHandle stream) noexcept {
        return static_cast<CollectiveInstance*>(state)->start(call, stream);
    }

    int32_t start(KernelCall const& call, target::StreamHandle stream) noexcept {
        failure_ = nullptr;
        auto* const communicator = static_cast<ncclComm_t>(target::currentCommunicator());
        if (communicator == nullptr) {
            failure_ = "[cuda] DistCollective: expected a communicator, got none. Set that of "
                       "NCCL on the context";
            return 1;
        }
        if (from_ == 0 && to_ == 0) {
            return 0;
        }
        Nccl const& nccl = Nccl::instance(); // load() has opened it
        int count = 0;
        int rank = 0;
        ncclResult_t result = nccl.count(communicator, &count);
        result = result == 0 ? nccl.rank(communicator, &rank) : result;
        if (result == 0 && count != op_.members()) {
            failure_ = "[cuda] DistCollective: expected a communicator of as many ranks as the "
                       "layer has, got another one";
            return 1;
        }
        result = result == 0 ? exchange(nccl, communicator, rank, call, toDriver(stream)) : result;
        failure_ = result == 0 ? nullptr : nccl.errorString(result);
        return result;
    }

    static CUstream toDriver(target::StreamHandle stream) {
        return reinterpret_cast<CUstream>(stream);
    }

    ncclResult_t exchange(Nccl const& nccl, ncclComm_t communicator, int rank,
                          KernelCall const& call, CUstream stream) const noexcept {
        void const* const from = call.inputs[0];
        void* const to = call.outputs[0];
        auto const reduction = static_cast<ncclRedOp_t>(op_.reduction);
        auto const type = static_cast<ncclDataType_t>(
            ncclTypeOf(type_).value_or(NcclType::kUint8)); // only reductions need it
        auto const bytes = static_cast<ncclDataType_t>(NcclType::kUint8);
        auto const root = static_cast<int>(op_.root);
        auto const all = static_cast<std::size_t>(from_);
        switch (op_.operation) {
        case CollectiveOperation::kALL_REDUCE:
            return nccl.allReduce(from, to, all, type, reduction, communicator, stream);
        case CollectiveOperation::kREDUCE:
            return nccl.reduce(from, to, all, type, reduction, root, communicator, stream);
        case CollectiveOperation::kREDUCE_SCATTER:
            return nccl.reduceScatter(from, to, static_cast<std::size_t>(to_), type, reduction,
                                      communicator, stream);
        case CollectiveOperation::kBROADCAST:
            return nccl.broadcast(from, to, bytesOf(from_), bytes, root, communicator, stream);
        case CollectiveOperation::kALL_GATHER:
            return nccl.allGather(from, to, bytesOf(from_), bytes, communicator, stream);
        default: return exchangeParts(nccl, communicator, rank, call, stream);
        }
    }

    /// All to all, gather and scatter: one part for each pair of ranks.
    ncclResult_t exchangeParts(Nccl const& nccl, ncclComm_t communicator, int rank,
                               KernelCall const& call, CUstream stream) const noexcept {
        auto const bytes = static_cast<ncclDataType_t>(NcclType::kUint8);
        auto const* const from = static_cast<std::byte const*>(call.inputs[0]);
        auto* const to = static_cast<std::byte*>(call.outputs[0]);
        bool const gathers = op_.operation == CollectiveOperation::kGATHER;
        bool const scatters = op_.operation == CollectiveOperation::kSCATTER;
        auto const root = static_cast<int>(op_.root);
        std::size_t const part = gathers    ? bytesOf(from_)
                                 : scatters ? bytesOf(to_)
                                            : bytesOf(from_ / op_.members());
        ncclResult_t result = nccl.groupStart();
        for (int peer = 0; peer < op_.members(); ++peer) {
            auto const at = static_cast<std::size_t>(peer) * part;
            bool const sends = gathers ? peer == root : !scatters || rank == root;
            bool const receives = gathers ? rank == root : !scatters || peer == root;
            if (sends && result == 0) {
                result =
                    nccl.send(from + (gathers ? 0 : at), part, bytes, peer, communicator, stream);
            }
            if (receives && result == 0) {
                result =
                    nccl.receive(to + (scatters ? 0 : at), part, bytes, peer, communicator, stream);
            }
        }
        ncclResult_t const end = nccl.groupEnd();
        return result == 0 ? end : result;
    }

    std::size_t bytesOf(int64_t elements) const { return bytesFor(type_, elements); }

    DistCollective const& op_;
    DataType type_;
    int64_t from_ = 0; ///< elements
    int64_t to_ = 0;
    char const* failure_ = nullptr; ///< with static storage
};

class CollectiveKernel final : public target::Kernel {
public:
    explicit CollectiveKernel(target::KernelRecord const& record)
        : op_(graph::OpRegistry::instance().load(DistCollective::kKind, record.parameters)),
          type_(record.inputs[0].type) {
        static_cast<void>(Nccl::instance()); // opens it, or says why not
    }

    std::unique_ptr<target::KernelInstance> instantiate() const override {
        return std::make_unique<CollectiveInstance>(static_cast<DistCollective const&>(*op_),
                                                    type_);
    }

private:
    std::unique_ptr<graph::Op> op_;
    DataType type_;
};

} // namespace

void registerKernel_dist_collective(target::KernelRegistry& registry) {
    target::KernelEntry entry;
    entry.op = DistCollective::kKind;
    entry.name = "dist_collective_nccl";
    entry.refuse = &refuse;
    entry.lacks = &lacks;
    entry.load = [](target::KernelRecord const& record,
                    std::span<target::ConstantOperand const>) -> std::unique_ptr<target::Kernel> {
        return std::make_unique<CollectiveKernel>(record);
    };
    registry.add(std::move(entry));
}

} // namespace kiln::targets::cuda
