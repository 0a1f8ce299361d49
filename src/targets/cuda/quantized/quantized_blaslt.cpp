// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// KernelRecord::code: uint8 whether the weights are packed, uint8 whether the library's call gives
// the result, the ProductCode behind its length as uint32, then the code of quantized_finish.cuh.
#include "targets/cuda/quantized/quantized_blaslt.h"

#include <algorithm>

#include "target/workload/node_at.h"
#include "targets/cuda/blaslt/product_code.h"
#include "targets/cuda/blaslt/product_instance.h"
#include "targets/cuda/code_archive.h"
#include "targets/cuda/gpu_memory.h"
#include "targets/cuda/kernel_launch.h"
#include "targets/cuda/kernels.h"
#include "targets/cuda/launch_timer.h"
#include "targets/cuda/library_version.h"
#include "targets/cuda/loaded_code.h"
#include "targets/cuda/quantized/quantized_blas_product.h"
#include "targets/cuda/quantized/quantized_record.h"
#include "targets/cuda/quantized/quantized_source.h"
#include "targets/cuda/region_entry.h"

namespace kiln::targets::cuda {
namespace {

using target::ConstantOperand;
using target::KernelCall;
using target::KernelRecord;
using target::NodeAt;
using target::NodeSpec;
using target::Workload;

constexpr std::size_t kMostWorkspace = std::size_t{32} << 20;

graph::Region const& regionIn(NodeSpec const& node) {
    return static_cast<graph::Region const&>(node.op);
}

QuantizedBlas blasOf(QuantizedRegion const& region, NodeSpec const& node) {
    std::vector<bool> constant;
    for (target::OperandSpec const& input : node.inputs) {
        constant.push_back(input.constant && volume(input.opt, "scale") == 1);
    }
    return {region, target::typesOf(node.inputs), node.outputs[0].type, constant};
}

QuantizedArguments argumentsAt(QuantizedRegion const& region, NodeSpec const& node,
                               NodeAt::Point corner) {
    NodeAt const at(node, corner);
    Workload const workload = at.workload();
    return describeQuantized(region, workload, packsWeights(region, node));
}

std::string refuse(NodeSpec const& node) {
    std::string reason = refuseQuantized(node);
    if (!reason.empty()) {
        return reason;
    }
    QuantizedRegion const region(regionIn(node));
    QuantizedBlas const blas = blasOf(region, node);
    for (auto const corner : NodeAt::kPoints) {
        reason = reason.empty() ? blas.problem(argumentsAt(region, node, corner)) : reason;
    }
    return reason;
}

/// A build without a GPU assumes that the library is present where the plan runs.
std::string lacks() {
    return gpuProblem().empty() ? CublasLt::problem() : std::string();
}

double estimate(NodeSpec const& node) {
    constexpr double kLaunches = 6e-6;
    double const perSecond = gpuProblem().empty() ? 1e15 : 1e14; // else compile() refuses
    QuantizedRegion const region(regionIn(node));
    double const sums = blasOf(region, node).isDirect() ? 0.0 : 8.0 * target::elementsOf(node);
    return kLaunches + sums / kBytesPerSecond +
           std::max(target::bytesMoved(node) / kBytesPerSecond,
                    region.operations(node) / perSecond);
}

GpuMemory cleared(std::size_t bytes) {
    GpuMemory memory(bytes);
    check(GpuScope()->memsetD8Async(memory.address(), 0, bytes, nullptr), "clear an operand");
    return memory;
}

struct TimedAlgorithm {
    double milliseconds = 0.0;
    std::size_t workspaceBytes = 0;
    cublasLtMatmulAlgo_t algorithm{};
};

/// Times the heuristic's algorithms at the optimum shapes, on zeros, and stores the fastest one.
void chooseAlgorithm(QuantizedRegion const& region, NodeSpec const& node, ProductCode& code) {
    QuantizedBlas const blas = blasOf(region, node);
    QuantizedArguments const arguments = argumentsAt(region, node, NodeAt::Point::kOptimum);
    if (arguments.allRows == 0 || arguments.columns == 0) {
        return;
    }
    GpuScope const scope;
    auto const bytesOf = [&](std::size_t input) {
        return bytesFor(node.inputs[input].type.type, volume(node.inputs[input].opt, "operand"));
    };
    MatrixProduct const product = blas.product(arguments);
    MatmulPlan plan(product, blas.types(),
                    productWorkspace(node.outputs[0].opt, code.mostWorkspace), blas.epilogue());
    std::size_t const weights = bytesOf(region.right());
    int const rotation = node.inputs[region.right()].constant ? rotationFor(weights) : 1;
    GpuMemory const right = cleared(rotationStride(weights) * static_cast<std::size_t>(rotation));
    GpuMemory const left = cleared(bytesOf(region.left()));
    GpuMemory const sums = cleared(4 * static_cast<std::size_t>(arguments.allRows) *
                                   static_cast<std::size_t>(arguments.columns));
    GpuMemory const workspace(code.mostWorkspace);
    LaunchTimer timer;
    check(scope->streamSynchronize(nullptr), "clear the operands");
    MatmulPlan::Pointers pointers;
    pointers.b = left.data();
    pointers.c = sums.data();
    pointers.workspace = workspace.data();
    std::vector<TimedAlgorithm> timed;
    for (cublasLtMatmulAlgo_t const& algorithm : plan.algorithms()) {
        if (!plan.use(algorithm)) {
            continue;
        }
        double const time = timer.milliseconds(
            [&](int i) {
                pointers.a = static_cast<std::byte const*>(right.data()) +
                             static_cast<std::size_t>(i % rotation) * rotationStride(weights);
                return plan.run(pointers, timer.stream()) == CUBLAS_STATUS_SUCCESS;
            },
            rotation);
        if (time >= 0.0) {
            timed.push_back({time, plan.neededWorkspace(), algorithm});
        }
    }
    if (TimedAlgorithm const* const best = bestOf(timed); best != nullptr) {
        code.isTimed = true;
        code.timed = {plan.product(), best->algorithm};
    }
}

Bytes compile(NodeSpec const& node, std::span<std::string const> architectures) {
    QuantizedRegion const region(regionIn(node));
    QuantizedBlas const blas = blasOf(region, node);
    ProductCode code;
    code.mostWorkspace = kMostWorkspace;
    code.version = CublasLt::problem().empty() ? CublasLt::instance().version() : 0;
    if (!deviceRuns(architectures)) {
        fail(ErrorKind::kUnsupported,
             "cuBLASLt may not take this product, and no GPU is here to ask");
    }
    chooseAlgorithm(region, node, code);
    Bytes const product = code.save();
    ByteWriter writer;
    writer.put<uint8_t>(packsWeights(region, node) ? 1 : 0);
    writer.put<uint8_t>(blas.isDirect() ? 1 : 0);
    writer.putText({reinterpret_cast<char const*>(product.data()), product.size()});
    Bytes all = writer.take();
    Bytes const finish = compileFor(quantizedFinish(region, node), architectures);
    all.insert(all.end(), finish.begin(), finish.end());
    return all;
}

/// The parts of KernelRecord::code.
struct Parts {
    explicit Parts(ByteView code) {
        ByteReader reader(code, "code of a quantized product");
        reader.get<uint8_t>();
        direct = reader.get<uint8_t>() != 0;
        ByteView const own = reader.take(reader.get<uint32_t>());
        product = ProductCode::load(own);
        finish = code.subspan(2 + sizeof(uint32_t) + own.size());
    }

    bool direct = false;
    ProductCode product;
    ByteView finish;
};

/// What a kernel loads from a plan.
struct LoadedProduct : QuantizedRecord {
    LoadedProduct(KernelRecord const& plan, std::span<ConstantOperand const> constants)
        : LoadedProduct(plan, constants, Parts(plan.code)) {}

    LoadedProduct(KernelRecord const& plan, std::span<ConstantOperand const> constants,
                  Parts const& parts)
        : QuantizedRecord(plan), record(plan),
          blas(region, record.inputs, record.outputs.at(0),
               std::vector<bool>(record.inputs.size(), parts.direct)),
          code(parts.product), finish(parts.finish) {
        checkPacked(constants[region.right()]);
        if (blas.isDirect() != parts.direct) {
            fail(ErrorKind::kCorruptData,
                 "[plan] kernel '{}': expected a product that cuBLASLt gives, got other operations "
                 "behind it. Build the plan again.",
                 plan.kernel);
        }
        if (parts.direct) {
            factor =
                numberIn(constants[region.leftScale()], record.inputs[region.leftScale()].type) *
                numberIn(constants[region.rightScale()], record.inputs[region.rightScale()].type);
        }
        CublasLt::expectPresent(); // contexts open it
    }

    KernelRecord record;
    QuantizedBlas blas;
    ProductCode code;
    LoadedCode finish;
    float factor = 1.0F;
};

class BlasInstance final : public target::KernelInstance {
public:
    explicit BlasInstance(LoadedProduct const& loaded) : loaded_(loaded) {
        if (gpuProblem().empty()) {
            CublasLt::instance(); // not in the first run, which may be captured
        }
    }

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
        arguments_ = describe(inputs, outputs);
        plan_.reset();
        isEmpty_ = arguments_.allRows == 0 || arguments_.columns == 0;
        if (isEmpty_) {
            return;
        }
        if (std::string const problem = loaded_.blas.problem(arguments_); !problem.empty()) {
            fail(ErrorKind::kUnsupported, "[cuda] cuBLASLt: {}. Build the plan for this shape.",
                 problem);
        }
        bool const timed =
            loaded_.code.isTimed && CublasLt::instance().version() == loaded_.code.version;
        plan_.emplace(loaded_.blas.product(arguments_), loaded_.blas.types(),
                      productWorkspace(outputs[0], loaded_.code.mostWorkspace),
                      loaded_.blas.epilogue(), timed ? &loaded_.code.timed : nullptr);
        sumBytes_ = loaded_.blas.sumBytes(arguments_);
        if (!loaded_.blas.isDirect()) {
            finish_.set(loaded_.finish,
                        {launchOver("finish", arguments_.allRows * (arguments_.columns / 4))});
            finish_.describe({inputs.size(), outputs.size(), true, nullptr, &arguments_});
        }
    }

    target::Launch launch() override { return {&run, this}; }

    std::size_t workspaceBytes(std::span<Dims const> inputs,
                               std::span<Dims const> outputs) const override {
        return loaded_.blas.sumBytes(describe(inputs, outputs)) +
               productWorkspace(outputs[0], loaded_.code.mostWorkspace);
    }

    std::string failureText() const override { return failure_; }

private:
    QuantizedArguments describe(std::span<Dims const> inputs, std::span<Dims const> outputs) const {
        Workload const workload{loaded_.record.inputs, loaded_.record.outputs, inputs, outputs};
        if (std::string const problem = loaded_.region.formatProblem(
                workload.inputTypes, workload.outputTypes[0], outputs[0].nbDims);
            !problem.empty()) {
            fail(ErrorKind::kUnsupported, "[shape] Region: {}. Build the plan again.", problem);
        }
        return describeQuantized(loaded_.region, workload, loaded_.packed);
    }

    static int32_t run(void* state, KernelCall const& call, target::StreamHandle stream) noexcept {
        auto& self = *static_cast<BlasInstance*>(state);
        return self.isEmpty_ ? 0 : self.multiply(call, stream);
    }

    int32_t multiply(KernelCall const& call, CUstream stream) noexcept {
        bool const direct = loaded_.blas.isDirect();
        MatmulPlan::Pointers pointers;
        pointers.a = call.inputs[loaded_.region.right()];
        pointers.b = call.inputs[loaded_.region.left()];
        pointers.c = direct ? call.outputs[0] : call.workspace;
        pointers.workspace = static_cast<std::byte*>(call.workspace) + sumBytes_;
        pointers.factor = loaded_.factor;
        cublasStatus_t const status = plan_->run(pointers, stream);
        if (status != CUBLAS_STATUS_SUCCESS) [[unlikely]] {
            failure_ = CublasLt::instance().statusName(status);
            return 1;
        }
        if (!direct && KernelLaunch::run(&finish_, call, stream) != 0) [[unlikely]] {
            failure_ = finish_.failureText();
            return 1;
        }
        return 0;
    }

    LoadedProduct const& loaded_;
    QuantizedArguments arguments_{};
    std::optional<MatmulPlan> plan_;
    KernelLaunch finish_;
    std::size_t sumBytes_ = 0;
    bool isEmpty_ = false;
    std::string failure_; ///< of the last launch
};

} // namespace

target::KernelEntry regionQuantizedCublasLt() {
    target::KernelEntry entry =
        regionEntry<LoadedProduct, BlasInstance>("region_quantized_cublaslt", &refuse, &estimate);
    entry.lacks = &lacks;
    entry.library = [] { return "cuBLASLt " + versionOf<CublasLt>(); };
    entry.compile = &compile;
    entry.packs = &quantizedPacks;
    entry.pack = &packQuantized;
    return entry;
}

} // namespace kiln::targets::cuda
