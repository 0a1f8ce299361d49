// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/decode.h"

#include <algorithm>

#include "plan/decode_values.h"

namespace kiln::plan {

void Budget::spend(uint64_t bytes) {
    if (bytes > left_) {
        fail(ErrorKind::kCorruptData,
             "[plan] section 'metadata': expected parts of its own for each record, got more than "
             "its {} bytes hold. Build the plan again.",
             total_);
    }
    left_ -= bytes;
}

ByteView PartReader::view(uint64_t bytes, std::string_view object) {
    if (bytes > left_.size()) {
        fail(ErrorKind::kCorruptData,
             "[plan] section '{}', '{}': length {} passes the end of the section ({} bytes left). "
             "Build the plan again.",
             name_, object, bytes, left_.size());
    }
    ByteView const part = left_.first(bytes);
    left_ = left_.subspan(bytes);
    return part;
}

Bytes PartReader::take(uint64_t bytes, std::string_view object) {
    ByteView const part = view(bytes, object);
    return {part.begin(), part.end()};
}

void PartReader::finish() const {
    if (!left_.empty()) {
        fail(ErrorKind::kCorruptData,
             "[plan] section '{}': expected every byte to belong to something, got {} at its end "
             "that do not. Build the plan again.",
             name_, left_.size());
    }
}

fb::Plan const& verifiedPlan(ByteView bytes) {
    auto const* raw = reinterpret_cast<uint8_t const*>(bytes.data());
    bool sound = bytes.size() < FLATBUFFERS_MAX_BUFFER_SIZE; // asserted by the verifier
    if (sound) {
        flatbuffers::Verifier verifier(raw, bytes.size());
        sound = fb::VerifyPlanBuffer(verifier);
    }
    if (!sound) {
        fail(ErrorKind::kCorruptData,
             "[plan] section 'metadata': expected a FlatBuffers message that passes its verifier, "
             "got {} bytes that do not. Build the plan again.",
             bytes.size());
    }
    return *fb::GetPlan(raw);
}

void decodeGlobals(fb::Plan const& plan, Budget& budget, Document& document) {
    document.name = decodeText(plan.name(), budget);
    document.architecture = decodeText(plan.architecture(), budget);
    document.stronglyTyped = plan.strongly_typed();
    document.verbosity = static_cast<nvinfer1::ProfilingVerbosity>(
        std::min<int32_t>(plan.verbosity(), nvinfer1::EnumMax<nvinfer1::ProfilingVerbosity>() - 1));
    document.arenaBytes = plan.arena_bytes();
    document.weightStreaming = plan.weight_streaming();
    using nvinfer1::HardwareCompatibilityLevel;
    document.compatibility = static_cast<HardwareCompatibilityLevel>(std::min<int32_t>(
        plan.compatibility(), nvinfer1::EnumMax<HardwareCompatibilityLevel>() - 1));
    if (plan.exprs() == nullptr) {
        return;
    }
    expectAligned(plan.exprs(), alignof(fb::Expr));
    budget.spend(plan.exprs()->size() * sizeof(fb::Expr));
    document.exprs.reserve(plan.exprs()->size());
    for (fb::Expr const* expr : *plan.exprs()) {
        document.exprs.push_back(
            {static_cast<graph::ExprOp>(expr->op()), expr->a(), expr->b(), expr->value()});
    }
}

} // namespace kiln::plan
