// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// KernelRecord::code: uint64 maximum workspace in bytes; uint64 version of the library at build
// time (0: the build had none); uint8 whether an algorithm follows; the hash of the product that it
// was timed for as uint64, and its 64 bytes.
#include "targets/cuda/blaslt/product_kernel.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/half.h"
#include "graph/op_registry.h"
#include "targets/cuda/blaslt/product_operands.h"
#include "targets/cuda/gpu_memory.h"
#include "targets/cuda/kernels.h"
#include "targets/cuda/launch_timer.h"
#include "targets/cuda/library_version.h"

namespace kiln::targets::cuda {
namespace {

using target::KernelCall;
using target::NodeSpec;
using target::OperandSpec;
using target::Workload;

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

struct ProductCode {
    uint64_t mostWorkspace = 0;
    uint64_t version = 0;
    bool isTimed = false;
    StoredAlgorithm timed;

    Bytes save() const {
        ByteWriter writer;
        writer.put(mostWorkspace);
        writer.put(version);
        writer.put<uint8_t>(isTimed ? 1 : 0);
        if (isTimed) {
            writer.put(timed.product);
            for (uint64_t const word : timed.algorithm.data) {
                writer.put(word);
            }
        }
        return writer.take();
    }
    static ProductCode load(ByteView bytes) {
        ByteReader reader(bytes, "code of a matrix product");
        ProductCode code;
        code.mostWorkspace = reader.get<uint64_t>();
        code.version = reader.get<uint64_t>();
        code.isTimed = reader.get<uint8_t>() != 0;
        if (code.isTimed) {
            code.timed.product = reader.get<uint64_t>();
            for (uint64_t& word : code.timed.algorithm.data) {
                word = reader.get<uint64_t>();
            }
        }
        reader.finish();
        return code;
    }
};

/// The workspace that cuBLAS recommends from compute capability 9.0 on, and before.
std::size_t workspaceFor(std::span<std::string const> architectures) {
    bool const isNew = std::any_of(architectures.begin(), architectures.end(),
                                   [](std::string const& architecture) {
                                       auto const parsed = parseGpuArchitecture(architecture);
                                       return parsed.has_value() && parsed->major >= 9;
                                   });
    return isNew ? 32 * kMegabyte : 4 * kMegabyte;
}

/// 256 KiB plus 64 partial results in float32, but no more than the plan's maximum.
std::size_t workspaceOf(Dims const& result, std::size_t most) {
    constexpr std::size_t kLeast = std::size_t{256} << 10;
    constexpr int64_t kPartials = 64;
    auto const elements = std::min<int64_t>(volume(result, "matrix product"), INT32_MAX);
    std::size_t const wanted = kLeast + bytesFor(DataType::kFLOAT, kPartials * elements);
    return std::min(most, wanted);
}

/// The number in a constant of one element; throws kCorruptData if there is none.
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
        if (gpuProblem().empty() && CublasLt::instance().version() != code.version) {
            code.isTimed = false; // each version has its own algorithms
        }
    }

    target::KernelRecord record;
    std::unique_ptr<graph::Op> op;
    ProductOperands operands;
    ProductCode code;
    float factor = 1.0F;
};

class ProductInstance final : public target::KernelInstance {
public:
    explicit ProductInstance(LoadedProduct const& loaded) : loaded_(loaded) {}

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
            plan_.emplace(product, workload.type(), workspaceBytes(inputs, outputs),
                          described_.epilogue,
                          loaded_.code.isTimed ? &loaded_.code.timed : nullptr);
        }
    }

    target::Launch launch() override { return {&run, this}; }

    std::size_t workspaceBytes(std::span<Dims const>,
                               std::span<Dims const> outputs) const override {
        return workspaceOf(outputs[0], loaded_.code.mostWorkspace);
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

std::vector<target::OperandType> typesOf(std::span<OperandSpec const> operands) {
    std::vector<target::OperandType> types;
    for (OperandSpec const& operand : operands) {
        types.push_back(operand.type);
    }
    return types;
}

ProductOperands::Described describeAt(ProductOperands const& operands, NodeSpec const& node,
                                      Dims OperandSpec::* corner) {
    std::vector<target::OperandType> const inputTypes = typesOf(node.inputs);
    std::vector<target::OperandType> const outputTypes = typesOf(node.outputs);
    std::vector<Dims> inputs;
    for (OperandSpec const& input : node.inputs) {
        inputs.push_back(input.*corner);
    }
    Dims const output = node.outputs[0].*corner;
    return operands.describe({inputTypes, outputTypes, inputs, {&output, 1}});
}

std::string refuse(NodeSpec const& node) {
    ProductOperands const operands(node.op, node.inputs.size());
    std::string reason = operands.problem();
    bool const isRegion = node.op.kind() == graph::Region::kKind;
    if (reason.empty() && isRegion) {
        reason = refuseUnlessUniform(static_cast<graph::Region const&>(node.op), node);
    }
    if (reason.empty()) {
        reason = operands.formatProblem(typesOf(node.inputs), node.outputs[0].type,
                                        node.outputs[0].opt.nbDims);
    }
    reason = reason.empty() ? target::refuseUnlessFloat(node) : reason;
    for (std::size_t const input : operands.added()) {
        if (reason.empty() && node.inputs[input].type.type != node.outputs[0].type.type) {
            reason = "expected operands of one element type";
        }
    }
    if (reason.empty() && operands.factor() >= 0) {
        OperandSpec const& factor = node.inputs[static_cast<std::size_t>(operands.factor())];
        bool const known =
            factor.constant && isFloating(factor.type.type) && volume(factor.opt, "factor") == 1;
        reason = known ? reason : "expected a factor that is a constant of one element";
    }
    if (!reason.empty() || operands.added().empty()) {
        return reason;
    }
    try {
        for (auto const corner : {&OperandSpec::min, &OperandSpec::opt, &OperandSpec::max}) {
            static_cast<void>(describeAt(operands, node, corner));
        }
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

/// A build without a GPU assumes that the library is present where the plan runs.
std::string lacks() {
    return gpuProblem().empty() ? CublasLt::problem() : std::string();
}

double estimate(NodeSpec const& node) {
    constexpr double kLaunch = 3e-6;
    double const perSecond = node.inputs[0].type.type == DataType::kFLOAT ? 3e13 : 3e14;
    ProductOperands const operands(node.op, node.inputs.size());
    return kLaunch + std::max(target::bytesMoved(node) / kBytesPerSecond,
                              operands.operations(node) / perSecond);
}

std::size_t bytesOf(OperandSpec const& operand) {
    return bytesFor(operand.type.type, volume(operand.opt, "operand"));
}

GpuMemory clearedMemory(OperandSpec const& operand, int copies = 1) {
    std::size_t const bytes = rotationStride(bytesOf(operand)) * static_cast<std::size_t>(copies);
    GpuMemory memory(bytes);
    check(GpuScope()->memsetD8Async(memory.address(), 0, bytes, nullptr), "clear an operand");
    return memory;
}

struct TimedAlgorithm {
    double milliseconds = 0.0;
    std::size_t workspaceBytes = 0;
    cublasLtMatmulAlgo_t algorithm{};
};

bool hasOneShape(NodeSpec const& node) {
    auto const fixed = [](OperandSpec const& operand) {
        return sameDims(operand.min, operand.opt) && sameDims(operand.max, operand.opt);
    };
    return std::all_of(node.inputs.begin(), node.inputs.end(), fixed) &&
           std::all_of(node.outputs.begin(), node.outputs.end(), fixed);
}

/// Stores the algorithm. With one shape, the workspace becomes what it needs, if the heuristic has
/// algorithms for that workspace.
void keep(TimedAlgorithm const& best, MatmulPlan const& plan, MatrixProduct const& product,
          bool oneShape, ProductCode& code) {
    code.isTimed = true;
    code.timed = {plan.product(), best.algorithm};
    if (!oneShape || best.workspaceBytes >= code.mostWorkspace) {
        return;
    }
    try {
        MatmulPlan least(product, plan.type(), best.workspaceBytes, plan.epilogue());
        if (least.use(best.algorithm)) {
            code.mostWorkspace = best.workspaceBytes;
            code.timed.product = least.product();
        }
    } catch (Error const& error) {
        if (error.kind() != ErrorKind::kUnsupported) {
            throw;
        }
    }
}

/// Times the heuristic's algorithms at the optimum shapes, on operands of zeros.
void chooseAlgorithm(NodeSpec const& node, ProductCode& code) {
    GpuScope const scope;
    ProductOperands const operands(node.op, node.inputs.size());
    ProductOperands::Described const described = describeAt(operands, node, &OperandSpec::opt);
    MatrixProduct const& product = described.product;
    if (product.calls.empty() || product.inner == 0 || product.batch > INT32_MAX) {
        return;
    }
    MatmulPlan plan(product, node.outputs[0].type.type,
                    workspaceOf(node.outputs[0].opt, code.mostWorkspace), described.epilogue);
    std::size_t const first = product.swapped ? operands.right() : operands.left();
    std::size_t const second = product.swapped ? operands.left() : operands.right();
    std::size_t const weights = node.inputs[first].constant ? first : second;
    int const rotation =
        node.inputs[weights].constant ? rotationFor(bytesOf(node.inputs[weights])) : 1;
    std::vector<GpuMemory> memory;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        memory.push_back(clearedMemory(node.inputs[i], i == weights ? rotation : 1));
    }
    GpuMemory const output = clearedMemory(node.outputs[0]);
    GpuMemory const workspace(code.mostWorkspace);
    MatmulPlan::Pointers pointers;
    pointers.a = memory[first].data();
    pointers.b = memory[second].data();
    pointers.bias =
        described.bias < 0 ? nullptr : memory[static_cast<std::size_t>(described.bias)].data();
    pointers.addend =
        described.addend < 0 ? nullptr : memory[static_cast<std::size_t>(described.addend)].data();
    pointers.c = output.data();
    pointers.workspace = workspace.data();
    LaunchTimer timer;
    check(scope->streamSynchronize(nullptr), "clear the operands");
    std::vector<TimedAlgorithm> timed;
    for (cublasLtMatmulAlgo_t const& algorithm : plan.algorithms()) {
        if (!plan.use(algorithm)) {
            continue;
        }
        double const time = timer.milliseconds(
            [&](int i) {
                auto const copy = static_cast<std::size_t>(i % rotation);
                auto const* const turned = static_cast<std::byte const*>(memory[weights].data()) +
                                           copy * rotationStride(bytesOf(node.inputs[weights]));
                (weights == first ? pointers.a : pointers.b) = turned;
                return plan.run(pointers, timer.stream()) == CUBLAS_STATUS_SUCCESS;
            },
            rotation);
        if (time >= 0.0) {
            timed.push_back({time, plan.neededWorkspace(), algorithm});
        }
    }
    if (TimedAlgorithm const* const best = bestOf(timed); best != nullptr) {
        keep(*best, plan, product, hasOneShape(node), code);
    }
}

Bytes codeWith(NodeSpec const& node, std::span<std::string const> architectures,
               std::size_t workspaceBytes) {
    ProductCode code;
    code.mostWorkspace = workspaceBytes;
    code.version = CublasLt::problem().empty() ? CublasLt::instance().version() : 0;
    if (deviceRuns(architectures) && CublasLt::problem().empty()) {
        chooseAlgorithm(node, code);
    }
    return code.save();
}

target::KernelEntry entryFor(std::string_view op, std::string_view name) {
    target::KernelEntry entry;
    entry.op = op;
    entry.name = name;
    entry.refuse = &refuse;
    entry.lacks = &lacks;
    entry.library = [] { return "cuBLASLt " + versionOf<CublasLt>(); };
    entry.estimate = &estimate;
    entry.compile = [](NodeSpec const& node, std::span<std::string const> architectures) {
        return codeWith(node, architectures, workspaceFor(architectures));
    };
    entry.load =
        [](target::KernelRecord const& record,
           std::span<target::ConstantOperand const> constants) -> std::unique_ptr<target::Kernel> {
        return std::make_unique<ProductKernel>(record, constants);
    };
    return entry;
}

} // namespace

target::KernelEntry matrixMultiplyCublasLt() {
    return entryFor(graph::MatrixMultiply::kKind, "matrix_multiply_cublaslt");
}

target::KernelEntry matrixMultiplyCublasLtBare() {
    target::KernelEntry entry =
        entryFor(graph::MatrixMultiply::kKind, "matrix_multiply_cublaslt_bare");
    entry.estimate = [](NodeSpec const& node) { return 1.1 * estimate(node); };
    entry.compile = [](NodeSpec const& node, std::span<std::string const> architectures) {
        return codeWith(node, architectures, 0);
    };
    return entry;
}

target::KernelEntry convolutionCublasLt() {
    return entryFor(graph::Convolution::kKind, "convolution_cublaslt");
}

target::KernelEntry regionCublasLt() {
    return entryFor(graph::Region::kKind, "region_cublaslt");
}

} // namespace kiln::targets::cuda
