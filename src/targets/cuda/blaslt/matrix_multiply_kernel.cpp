// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// KernelRecord::code: uint64 maximum workspace in bytes, uint64 version of the library at build
// time (0: the build had none).
#include "targets/cuda/blaslt/matrix_multiply_kernel.h"

#include <algorithm>

#include "graph/op_registry.h"
#include "target/workload/workload.h"
#include "targets/cuda/blaslt/matmul_plan.h"
#include "targets/cuda/gpu.h"

namespace kiln::targets::cuda {
namespace {

using target::KernelCall;
using target::NodeSpec;
using target::Workload;

/// The workspace that cuBLAS recommends from compute capability 9.0 on, and before.
std::size_t workspaceFor(std::span<std::string const> architectures) {
    constexpr std::size_t kMegabyte = std::size_t{1} << 20;
    bool const isNew = std::any_of(architectures.begin(), architectures.end(),
                                   [](std::string const& architecture) {
                                       auto const parsed = parseGpuArchitecture(architecture);
                                       return parsed.has_value() && parsed->major >= 9;
                                   });
    return isNew ? 32 * kMegabyte : 4 * kMegabyte;
}

class MatrixMultiplyInstance final : public target::KernelInstance {
public:
    MatrixMultiplyInstance(graph::MatrixMultiply const& op, target::KernelRecord const& record,
                           std::size_t mostWorkspace)
        : op_(op), record_(record), mostWorkspace_(mostWorkspace) {}

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
        Workload const workload{record_.inputs, record_.outputs, inputs, outputs};
        target::checkLinear(op_, workload);
        target::checkWorkload(op_, workload);
        product_ = matrixProduct(target::matrixWorkload(op_, inputs[0], inputs[1], outputs[0]));
        elementBytes_ = static_cast<int64_t>(bytesFor(workload.type(), 1));
        outputBytes_ = bytesFor(workload.type(), volume(outputs[0], "matrix product"));
        plan_.reset();
        if (product_.batch > INT32_MAX) {
            fail(ErrorKind::kUnsupported,
                 "[cuda] cuBLASLt: expected at most {} matrices in a batch, got {}. Reshape them.",
                 INT32_MAX, product_.batch);
        }
        if (product_.inner > 0 && !product_.calls.empty()) {
            plan_.emplace(product_, workload.type(), workspaceBytes(inputs, outputs));
        }
    }

    target::Launch launch() override { return {&run, this}; }

    /// 256 KiB plus 64 partial results in float32, but no more than the plan's maximum.
    std::size_t workspaceBytes(std::span<Dims const>,
                               std::span<Dims const> outputs) const override {
        constexpr std::size_t kLeast = std::size_t{256} << 10;
        constexpr int64_t kPartials = 64;
        auto const elements = std::min<int64_t>(volume(outputs[0], "matrix product"), INT32_MAX);
        std::size_t const wanted = kLeast + bytesFor(DataType::kFLOAT, kPartials * elements);
        return std::min(mostWorkspace_, wanted);
    }

    std::string failureText() const override { return failure_; }

private:
    static int32_t run(void* state, KernelCall const& call, target::StreamHandle stream) noexcept {
        auto& self = *static_cast<MatrixMultiplyInstance*>(state);
        return self.plan_.has_value() ? self.multiply(call, stream) : self.clear(call, stream);
    }

    int32_t multiply(KernelCall const& call, CUstream stream) noexcept {
        auto const* a = static_cast<std::byte const*>(call.inputs[product_.swapped ? 1 : 0]);
        auto const* b = static_cast<std::byte const*>(call.inputs[product_.swapped ? 0 : 1]);
        auto* c = static_cast<std::byte*>(call.outputs[0]);
        for (BlasOffsets const& at : product_.calls) {
            cublasStatus_t const status =
                plan_->run(a + at.a * elementBytes_, b + at.b * elementBytes_,
                           c + at.c * elementBytes_, call.workspace, stream);
            if (status != CUBLAS_STATUS_SUCCESS) [[unlikely]] {
                failure_ = CublasLt::instance().statusName(status);
                return 1;
            }
        }
        return 0;
    }

    /// An inner extent of 0 gives zeros.
    int32_t clear(KernelCall const& call, CUstream stream) noexcept {
        if (outputBytes_ == 0) {
            return 0;
        }
        CUresult const result = Driver::instance().memsetD8Async(
            reinterpret_cast<CUdeviceptr>(call.outputs[0]), 0, outputBytes_, stream);
        if (result != CUDA_SUCCESS) [[unlikely]] {
            failure_ = textOf(result);
        }
        return result == CUDA_SUCCESS ? 0 : 1;
    }

    graph::MatrixMultiply const& op_;
    target::KernelRecord const& record_;
    std::size_t mostWorkspace_;
    MatrixProduct product_;
    int64_t elementBytes_ = 0;
    std::size_t outputBytes_ = 0;
    std::optional<MatmulPlan> plan_;
    std::string failure_; ///< of the last launch
};

class MatrixMultiplyKernel final : public target::Kernel {
public:
    explicit MatrixMultiplyKernel(target::KernelRecord const& record)
        : record_(record),
          op_(graph::OpRegistry::instance().load(graph::MatrixMultiply::kKind, record.parameters)) {
        ByteReader reader(record.code, "code of a matrix product");
        mostWorkspace_ = reader.get<uint64_t>();
        static_cast<void>(reader.get<uint64_t>()); // each version chooses its own algorithms
        reader.finish();
        if (gpuProblem().empty()) {
            static_cast<void>(CublasLt::instance());
        }
    }

    std::unique_ptr<target::KernelInstance> instantiate() const override {
        return std::make_unique<MatrixMultiplyInstance>(
            static_cast<graph::MatrixMultiply const&>(*op_), record_, mostWorkspace_);
    }

private:
    target::KernelRecord record_;
    std::unique_ptr<graph::Op> op_;
    std::size_t mostWorkspace_ = 0;
};

std::string refuse(NodeSpec const& node) {
    std::string const reason = target::refuseFormats(node);
    return reason.empty() ? target::refuseUnlessFloat(node) : reason;
}

/// A build without a GPU assumes that the library is present where the plan runs.
std::string lacks() {
    return gpuProblem().empty() ? CublasLt::problem() : std::string();
}

double estimate(NodeSpec const& node) {
    constexpr double kLaunch = 3e-6;
    constexpr double kBytesPerSecond = 2e12;
    double const perSecond = node.inputs[0].type.type == DataType::kFLOAT ? 3e13 : 3e14;
    auto const& op = static_cast<graph::MatrixMultiply const&>(node.op);
    return kLaunch + std::max(target::bytesMoved(node) / kBytesPerSecond,
                              target::matrixOperations(op, node) / perSecond);
}

Bytes codeWith(std::size_t workspaceBytes) {
    ByteWriter writer;
    writer.put<uint64_t>(workspaceBytes);
    writer.put<uint64_t>(CublasLt::problem().empty() ? CublasLt::instance().version() : 0);
    return writer.take();
}

} // namespace

target::KernelEntry matrixMultiplyCublasLt() {
    target::KernelEntry entry;
    entry.op = graph::MatrixMultiply::kKind;
    entry.name = "matrix_multiply_cublaslt";
    entry.refuse = &refuse;
    entry.lacks = &lacks;
    entry.estimate = &estimate;
    entry.compile = [](NodeSpec const&, std::span<std::string const> architectures) {
        return codeWith(workspaceFor(architectures));
    };
    entry.load = [](target::KernelRecord const& record,
                    std::span<target::ConstantOperand const>) -> std::unique_ptr<target::Kernel> {
        return std::make_unique<MatrixMultiplyKernel>(record);
    };
    return entry;
}

target::KernelEntry matrixMultiplyCublasLtBare() {
    target::KernelEntry entry = matrixMultiplyCublasLt();
    entry.name = "matrix_multiply_cublaslt_bare";
    entry.estimate = [](NodeSpec const& node) { return 1.1 * estimate(node); };
    entry.compile = [](NodeSpec const&, std::span<std::string const>) { return codeWith(0); };
    return entry;
}

} // namespace kiln::targets::cuda
