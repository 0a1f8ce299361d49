// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/blaslt/product_instance.h"

#include <bit>
#include <cstring>

#include "base/half.h"
#include "graph/op_registry.h"
#include "targets/cuda/blaslt/product_code.h"
#include "targets/cuda/blaslt/product_operands.h"
#include "targets/cuda/kernels.h"

namespace kiln::targets::cuda {
namespace {

using target::KernelCall;
using target::Workload;

/// What a kernel loads from a plan.
struct LoadedProduct {
    LoadedProduct(target::KernelRecord const& plan,
                  std::span<target::ConstantOperand const> constants)
        : record(plan), op(graph::OpRegistry::instance().load(plan.op, plan.parameters)),
          operands(*op, plan.inputs.size()), code(ProductCode::load(plan.code)) {
        if (!operands.problem().empty()) {
            fail(ErrorKind::kCorruptData, "[plan] kernel '{}': {}. Build the plan again.",
                 plan.kernel, operands.problem());
        }
        if (int32_t const input = operands.factor(); input >= 0) {
            auto const at = static_cast<std::size_t>(input);
            float const number = numberIn(constants[at], record.inputs[at].type);
            factor = operands.dividesByFactor() ? 1.0F / number : number;
        }
        CublasLt::expectPresent(); // contexts open it
    }

    /// The algorithm that was timed; null if this is another version, which has its own.
    StoredAlgorithm const* timed() const {
        return code.isTimed && CublasLt::instance().version() == code.version ? &code.timed
                                                                              : nullptr;
    }

    target::KernelRecord record;
    std::unique_ptr<graph::Op> op;
    ProductOperands operands;
    ProductCode code;
    float factor = 1.0F;
};

class ProductInstance final : public target::KernelInstance {
public:
    explicit ProductInstance(LoadedProduct const& loaded) : loaded_(loaded) {
        if (gpuProblem().empty()) {
            CublasLt::instance(); // not in the first run, which may be captured
        }
    }

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
        Workload const workload{loaded_.record.inputs, loaded_.record.outputs, inputs, outputs};
        checkFormats(outputs[0].nbDims);
        described_ = loaded_.operands.describe(workload);
        elementBytes_ = static_cast<int64_t>(bytesFor(workload.type(), 1));
        outputBytes_ = bytesFor(workload.type(), volume(outputs[0], "matrix product"));
        plan_.reset();
        MatrixProduct const& product = described_.product;
        if (product.batch > INT32_MAX) {
            fail(ErrorKind::kUnsupported,
                 "[cuda] cuBLASLt: expected at most {} matrices in a batch, got {}. Reshape them.",
                 INT32_MAX, product.batch);
        }
        if (product.inner == 0 && described_.epilogue != MatmulEpilogue{}) {
            fail(ErrorKind::kUnsupported,
                 "[cuda] cuBLASLt: expected products of one term or more before other operations, "
                 "got none. Build the plan for this shape.");
        }
        if (product.inner > 0 && !product.calls.empty()) {
            MatmulTypes types(workload.type());
            types.tf32 = loaded_.code.tf32;
            plan_.emplace(product, types, workspaceBytes(inputs, outputs), described_.epilogue,
                          loaded_.timed());
        }
    }

    target::Launch launch() override { return {&run, this}; }

    std::size_t workspaceBytes(std::span<Dims const>,
                               std::span<Dims const> outputs) const override {
        return productWorkspace(outputs[0], loaded_.code.mostWorkspace);
    }

    std::string failureText() const override { return failure_; }

private:
    void checkFormats(int32_t rank) const {
        std::string const problem =
            loaded_.operands.formatProblem(loaded_.record.inputs, loaded_.record.outputs[0], rank);
        if (!problem.empty()) {
            fail(ErrorKind::kUnsupported, "[shape] {}: {}. Build the plan again.",
                 loaded_.op->kind(), problem);
        }
    }

    static int32_t run(void* state, KernelCall const& call, target::StreamHandle stream) noexcept {
        auto& self = *static_cast<ProductInstance*>(state);
        return self.plan_.has_value() ? self.multiply(call, stream) : self.clear(call, stream);
    }

    int32_t multiply(KernelCall const& call, CUstream stream) noexcept {
        MatrixProduct const& product = described_.product;
        auto const operand = [&](std::size_t number) {
            return static_cast<std::byte const*>(call.inputs[number]);
        };
        auto const* left = operand(loaded_.operands.left());
        auto const* right = operand(loaded_.operands.right());
        auto const* const addend =
            described_.addend < 0 ? nullptr : operand(static_cast<std::size_t>(described_.addend));
        MatmulPlan::Pointers pointers;
        pointers.bias =
            described_.bias < 0 ? nullptr : operand(static_cast<std::size_t>(described_.bias));
        pointers.workspace = call.workspace;
        pointers.factor = loaded_.factor;
        for (BlasOffsets const& at : product.calls) {
            pointers.a = (product.swapped ? right : left) + at.a * elementBytes_;
            pointers.b = (product.swapped ? left : right) + at.b * elementBytes_;
            pointers.c = static_cast<std::byte*>(call.outputs[0]) + at.c * elementBytes_;
            pointers.addend = addend == nullptr ? nullptr : addend + at.c * elementBytes_;
            cublasStatus_t const status = plan_->run(pointers, stream);
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

    LoadedProduct const& loaded_;
    ProductOperands::Described described_;
    int64_t elementBytes_ = 0;
    std::size_t outputBytes_ = 0;
    std::optional<MatmulPlan> plan_;
    std::string failure_; ///< of the last launch
};

class ProductKernel final : public target::Kernel {
public:
    ProductKernel(target::KernelRecord const& record,
                  std::span<target::ConstantOperand const> constants)
        : loaded_(record, constants) {}

    std::unique_ptr<target::KernelInstance> instantiate() const override {
        return std::make_unique<ProductInstance>(loaded_);
    }

private:
    LoadedProduct loaded_;
};

} // namespace

float numberIn(target::ConstantOperand const& constant, DataType type) {
    std::size_t const bytes = bytesFor(type, 1);
    if (constant.host == nullptr || constant.bytes != bytes || !isFloating(type)) {
        fail(ErrorKind::kCorruptData,
             "[plan] factor of a matrix product: expected a constant of one element, got {} bytes. "
             "Build the plan again.",
             constant.bytes);
    }
    uint32_t bits = 0;
    std::memcpy(&bits, constant.host, bytes);
    switch (type) {
    case DataType::kHALF:
        return static_cast<float>(std::bit_cast<Half>(static_cast<uint16_t>(bits)));
    case DataType::kBF16: return std::bit_cast<float>(bits << 16);
    default: return std::bit_cast<float>(bits);
    }
}

std::unique_ptr<target::Kernel> loadProduct(target::KernelRecord const& record,
                                            std::span<target::ConstantOperand const> constants) {
    return std::make_unique<ProductKernel>(record, constants);
}

} // namespace kiln::targets::cuda
