// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/bytes.h"
#include "plan/layout.h"

namespace kiln::plan {

/// The checked header of a plan: all sections are inside the file, in order, with nothing but
/// padding between them.
class Header {
public:
    /// Throws kCorruptData or kUnsupported. `bytes` must outlive the header.
    explicit Header(ByteView bytes);

    std::string kilnVersion() const;
    std::string target() const;
    bool versionCompatible() const noexcept {
        return (block_.file.flags & kVersionCompatible) != 0;
    }

    SectionEntry const& entry(SectionKind kind) const;
    ByteView section(SectionKind kind) const;
    bool intact(SectionKind kind) const;
    /// Throws kCorruptData unless the section matches its hash in the header.
    void expectIntact(SectionKind kind) const;

private:
    void checkStart();
    void checkVersion() const;
    void checkFields() const;
    void checkSections();
    void checkPadding(uint64_t from, uint64_t to) const;

    ByteView bytes_;
    HeaderBlock block_{};
};

/// Hash of the header bytes `block`, with the hash field taken as 0.
uint64_t headerHash(ByteView block);

} // namespace kiln::plan
