// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plan/document.h"

namespace kiln::plan {

/// Reads and checks a plan without copying weights or code: the document's views point into
/// `bytes`, which must outlive it and be 64-byte aligned for weights to be.
/// Throws kCorruptData (damage: which section, offset, expected, got) or kUnsupported (written by
/// another version: both numbers). Never reads outside `bytes`, never allocates more than they
/// justify, never runs code. Weights are hashed only if `verifyWeights`.
Document read(ByteView bytes, bool verifyWeights = false);

/// Whether the bytes start like a plan at all (magic number).
bool looksLikePlan(ByteView bytes) noexcept;

/// "0.1.0", the version of Kiln that wrote a plan, also where this version cannot read it; empty if
/// the start of the file does not tell.
std::string writerVersion(ByteView bytes);

/// One section of the file, for reports.
struct SectionInfo {
    std::string name;
    uint64_t offset = 0;
    uint64_t bytes = 0;
    bool intact = false; ///< the hash was computed and matches
};

/// Hashes every section. Throws as read() when the header itself is damaged.
std::vector<SectionInfo> checkSections(ByteView bytes);

} // namespace kiln::plan
