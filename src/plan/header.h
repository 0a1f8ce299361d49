// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/bytes.h"
#include "plan/layout.h"

namespace kiln::plan {

/// The header of a plan whose every field has been checked against the length of the file: all
/// sections lie inside of it, in order, and nothing lies between them.
class Header {
public:
    /// Throws kCorruptData or kUnsupported. `bytes` must outlive the header.
    explicit Header(ByteView bytes);

    std::string kilnVersion() const;
    std::string target() const;

    SectionEntry const& entry(SectionKind kind) const;
    ByteView section(SectionKind kind) const;
    bool intact(SectionKind kind) const;
    /// Throws kCorruptData unless the section has the hash that the header gives.
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

/// Hash of a header (`block` in its length), the field for the hash counted as 0.
uint64_t headerHash(ByteView block);

} // namespace kiln::plan
