// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "plan/document.h"

namespace kiln::plan {

/// Reads and checks a plan without copying weights and libraries: the document's views point into
/// `bytes`, which must outlive it. Weights are 64-byte aligned if `bytes` is. Throws kCorruptData
/// for damage, with section, offset, expected and actual value, and kUnsupported for a plan of
/// another version, with both versions. Never reads outside `bytes` and runs no code; the size of
/// `bytes` bounds the memory that it allocates. Weights are hashed only if `verifyWeights` or
/// KILN_VERIFY=1.
Document read(ByteView bytes, bool verifyWeights = false);

/// Whether the bytes start with the magic number of a plan.
bool looksLikePlan(ByteView bytes) noexcept;

/// The version of Kiln that wrote a plan, such as "0.1.0", even if this version cannot read the
/// plan. Empty if the bytes are not a plan or too short.
std::string writerVersion(ByteView bytes);

/// One section of the file, for reports.
struct SectionInfo {
    std::string name;
    uint64_t offset = 0;
    uint64_t bytes = 0;
    bool intact = false; ///< the hash was computed and matches
};

/// Hashes every section. Throws like read() if the header is damaged.
std::vector<SectionInfo> checkSections(ByteView bytes);

} // namespace kiln::plan
