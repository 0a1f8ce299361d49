// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Checks of ahead-of-time code. Launches then use expression indices and entry names unchecked.
#include <algorithm>

#include "plan/check.h"

namespace kiln::plan {
namespace {

/// Limit of null pointer arguments, scratch buffers of size 0 that a compiler appends. Triton has
/// two.
constexpr int32_t kMostNullPointers = 8;

bool isSound(Document const& document, plugin::AotKernel const& kernel) {
    auto const known = [&](graph::ExprRef ref) { return isInteger(document, ref); };
    auto const soundScalar = [&](plugin::CodeScalar const& scalar) {
        return static_cast<int32_t>(scalar.type) < kScalarTypeCount &&
               (isReal(scalar.type) || known(scalar.value));
    };
    auto const soundImage = [](plugin::CodeImage const& image) {
        return image.kind <= CodeKind::kHostObject && !image.bytes.empty();
    };
    return !kernel.entry.empty() && kernel.entry.find('\0') == std::string::npos &&
           std::all_of(kernel.grid.begin(), kernel.grid.end(), known) &&
           std::all_of(kernel.block.begin(), kernel.block.end(), known) &&
           known(kernel.sharedBytes) && kernel.nullPointers >= 0 &&
           kernel.nullPointers <= kMostNullPointers && !kernel.images.empty() &&
           std::all_of(kernel.scalars.begin(), kernel.scalars.end(), soundScalar) &&
           std::all_of(kernel.images.begin(), kernel.images.end(), soundImage);
}

} // namespace

void checkCode(Document const& document, ErrorKind kind) {
    for (plugin::PluginRecord const& record : document.plugins) {
        bool const compiled = record.style == plugin::PluginStyle::kQuickAot;
        if (compiled == record.code.empty()) {
            fail(kind,
                 "[plan] plugin '{}' of layer '{}': expected code if it is compiled ahead of time, "
                 "and none otherwise, got {} variants. Build the plan again.",
                 record.id.name, record.layer, record.code.size());
        }
        for (plugin::AotVariant const& variant : record.code) {
            for (plugin::AotKernel const& kernel : variant.kernels) {
                if (!isSound(document, kernel)) {
                    fail(kind,
                         "[plan] plugin '{}' of layer '{}', kernel '{}': expected an entry point, "
                         "known expressions and images with code, got something else. Build the "
                         "plan again.",
                         record.id.name, record.layer, kernel.entry);
                }
            }
            if (variant.target.empty() || variant.kernels.empty()) {
                fail(
                    kind,
                    "[plan] plugin '{}' of layer '{}': expected a target and its kernels, got '{}' "
                    "with {} kernels. Build the plan again.",
                    record.id.name, record.layer, variant.target, variant.kernels.size());
            }
        }
    }
}

} // namespace kiln::plan
