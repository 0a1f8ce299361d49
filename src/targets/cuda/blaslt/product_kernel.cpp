// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/blaslt/product_kernel.h"

#include <algorithm>

#include "targets/cuda/blaslt/product_instance.h"
#include "targets/cuda/blaslt/product_timing.h"
#include "targets/cuda/kernels.h"
#include "targets/cuda/library_version.h"
#include "targets/cuda/tf32.h"

namespace kiln::targets::cuda {
namespace {

using target::NodeSpec;
using target::OperandSpec;

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

/// The workspace that cuBLAS recommends from compute capability 9.0 on, and before. PTX may run on
/// either.
std::size_t workspaceFor(std::span<std::string const> architectures) {
    bool const isNew = std::any_of(
        architectures.begin(), architectures.end(), [](std::string const& architecture) {
            auto const parsed = parseGpuArchitecture(architecture);
            return namesPtx(architecture) || (parsed.has_value() && parsed->major >= 9);
        });
    return isNew ? 32 * kMegabyte : 4 * kMegabyte;
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
        for (auto const corner : target::NodeAt::kPoints) {
            static_cast<void>(describeAt(operands, node, corner));
        }
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

std::string refuseTf32(NodeSpec const& node) {
    std::string const reason = refuseUnlessTf32(node);
    return reason.empty() ? refuse(node) : reason;
}

/// A build without a GPU assumes that the library is present where the plan runs.
std::string lacks() {
    return gpuProblem().empty() ? CublasLt::problem() : std::string();
}

double estimateAt(NodeSpec const& node, double perSecond) {
    constexpr double kLaunch = 3e-6;
    ProductOperands const operands(node.op, node.inputs.size());
    return kLaunch + std::max(target::bytesMoved(node) / kBytesPerSecond,
                              operands.operations(node) / perSecond);
}

double estimate(NodeSpec const& node) {
    return estimateAt(node, node.inputs[0].type.type == DataType::kFLOAT ? 3e13 : 3e14);
}

Bytes codeWith(NodeSpec const& node, std::span<std::string const> architectures,
               std::size_t workspaceBytes, bool tf32 = false) {
    ProductCode code;
    code.mostWorkspace = workspaceBytes;
    code.tf32 = tf32;
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
    entry.load = &loadProduct;
    return entry;
}

target::KernelEntry tf32EntryFor(std::string_view op, std::string_view name) {
    target::KernelEntry entry = entryFor(op, name);
    entry.refuse = &refuseTf32;
    entry.estimate = [](NodeSpec const& node) { return estimateAt(node, 1.5e14); };
    entry.compile = [](NodeSpec const& node, std::span<std::string const> architectures) {
        return codeWith(node, architectures, workspaceFor(architectures), true);
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

target::KernelEntry matrixMultiplyCublasLtTf32() {
    return tf32EntryFor(graph::MatrixMultiply::kKind, "matrix_multiply_cublaslt_tf32");
}

target::KernelEntry convolutionCublasLt() {
    return entryFor(graph::Convolution::kKind, "convolution_cublaslt");
}

target::KernelEntry convolutionCublasLtTf32() {
    return tf32EntryFor(graph::Convolution::kKind, "convolution_cublaslt_tf32");
}

target::KernelEntry regionCublasLt() {
    return entryFor(graph::Region::kKind, "region_cublaslt");
}

target::KernelEntry regionCublasLtTf32() {
    return tf32EntryFor(graph::Region::kKind, "region_cublaslt_tf32");
}

} // namespace kiln::targets::cuda
