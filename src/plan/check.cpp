// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/check.h"

#include "plan/layout.h"

namespace kiln::plan {

std::set<PluginIndex> StepRecord::plugins() const {
    std::set<PluginIndex> all(profilePlugins.begin(), profilePlugins.end());
    if (!plugin.isNone()) {
        all.insert(plugin);
    }
    return all;
}

std::string ControlRecord::kindName() const {
    return kind == ControlKind::kRepeat   ? "Repeat"
           : kind == ControlKind::kBranch ? "Branch"
                                          : "Require";
}

bool ControlRecord::waits() const noexcept {
    return !decider.isNone() || (!bodies.empty() && !bodies.front().condition.isNone());
}

std::size_t ControlRecord::steps() const noexcept {
    std::size_t count = 0;
    for (Body const& body : bodies) {
        count += static_cast<std::size_t>(body.steps);
    }
    return count;
}

void checkDocument(Document const& document, ErrorKind kind) {
    checkShapes(document, kind);
    checkExprs(document, kind);
    checkTensors(document, kind);
    checkProfiles(document, kind);
    checkPlugins(document, kind);
    checkCode(document, kind);
    checkLibraries(document, kind);
    checkSources(document, kind);
    checkWeights(document, kind);
    checkSteps(document, kind);
}

bool fitsAligned(uint64_t offset, uint64_t bytes, uint64_t limit) noexcept {
    return offset % kAlignment == 0 && offset <= limit && bytes <= limit - offset;
}

bool linearBytes(DataType type, Dims const& dims, uint64_t& bytes) noexcept {
    int64_t bits = bitsOf(type);
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        if (dims.d[i] < 0 || __builtin_mul_overflow(bits, dims.d[i], &bits)) {
            return false;
        }
    }
    bytes = static_cast<uint64_t>(bits / 8 + (bits % 8 != 0 ? 1 : 0));
    return true;
}

Dims constantDims(Document const& document, TensorRecord const& tensor) {
    Dims dims{};
    dims.nbDims = tensor.shape.rank;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        graph::ExprNode const& node = document.exprs[static_cast<std::size_t>(tensor.shape[i])];
        dims.d[i] = node.op == graph::ExprOp::kConstant ? node.value : -1;
    }
    return dims;
}

} // namespace kiln::plan
