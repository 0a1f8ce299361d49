// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "plan/document.h"

namespace kiln::plan {

namespace fb {
struct Plan;
} // namespace fb

/// Limits what decoding may allocate. FlatBuffers lets many tables point to one string, so a small
/// file could decode to any size. The writer never shares parts, so the sum of all decoded parts
/// must not exceed the length of the section.
class Budget {
public:
    explicit Budget(uint64_t bytes) : total_(bytes), left_(bytes) {}
    void spend(uint64_t bytes);

private:
    uint64_t total_;
    uint64_t left_;
};

/// Reads consecutive parts of the code, states or libraries section.
class PartReader {
public:
    PartReader(ByteView section, std::string_view name) : left_(section), name_(name) {}
    /// Copies the next part. Throws if it passes the end of the section; `object` is for the
    /// message.
    Bytes take(uint64_t bytes, std::string_view object);
    /// Like take(), without a copy.
    ByteView view(uint64_t bytes, std::string_view object);
    /// Throws if bytes are left.
    void finish() const;

private:
    ByteView left_;
    std::string_view name_;
};

/// Verifies a metadata section with FlatBuffers and returns its root. `bytes` must be aligned to 8
/// bytes.
fb::Plan const& verifiedPlan(ByteView bytes);

// Each function fills its part of the document. checkDocument() checks limits and references.
void decodeTensors(fb::Plan const& plan, ByteView weights, Budget& budget, Document& document);
void decodeRecipes(fb::Plan const& plan, ByteView weights, Budget& budget, Document& document);
void decodeProfiles(fb::Plan const& plan, Budget& budget, Document& document);
void decodePlugins(fb::Plan const& plan, PartReader& states, Budget& budget, Document& document);
void decodeLibraries(fb::Plan const& plan, PartReader& libraries, Budget& budget,
                     Document& document);
/// Call after decodeLibraries(): the section holds first the libraries, then the sources.
void decodeSources(fb::Plan const& plan, PartReader& libraries, Budget& budget, Document& document);
void decodeSteps(fb::Plan const& plan, PartReader& code, Budget& budget, Document& document);
/// Ahead-of-time code of plugins. Call after decodePlugins() and after decodeSteps(), whose code
/// comes first in the section.
void decodeCode(fb::Plan const& plan, PartReader& code, Budget& budget, Document& document);
void decodeGlobals(fb::Plan const& plan, Budget& budget, Document& document);

} // namespace kiln::plan
