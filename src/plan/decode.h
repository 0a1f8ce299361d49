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
/// file could unfold to any size; the writer never shares, so each part is counted once and their
/// sum may not pass the length of the section.
class Budget {
public:
    explicit Budget(uint64_t bytes) : total_(bytes), left_(bytes) {}
    void spend(uint64_t bytes);

private:
    uint64_t total_;
    uint64_t left_;
};

/// Hands out consecutive parts of the code, states or libraries section.
class PartReader {
public:
    PartReader(ByteView section, std::string_view name) : left_(section), name_(name) {}
    /// `object` is for the message.
    Bytes take(uint64_t bytes, std::string_view object);
    /// As take(), without a copy.
    ByteView view(uint64_t bytes, std::string_view object);
    /// Throws when bytes are left that nothing refers to.
    void finish() const;

private:
    ByteView left_;
    std::string_view name_;
};

/// The root of a metadata section that FlatBuffers' verifier has passed. `bytes` must be aligned to
/// 8 bytes.
fb::Plan const& verifiedPlan(ByteView bytes);

// Each fills its part of the document; limits and ranges between the parts are checkDocument()'s.
void decodeTensors(fb::Plan const& plan, ByteView weights, Budget& budget, Document& document);
void decodeProfiles(fb::Plan const& plan, Budget& budget, Document& document);
void decodePlugins(fb::Plan const& plan, PartReader& states, Budget& budget, Document& document);
void decodeLibraries(fb::Plan const& plan, PartReader& libraries, Budget& budget,
                     Document& document);
/// Behind decodeLibraries(): their section holds both.
void decodeSources(fb::Plan const& plan, PartReader& libraries, Budget& budget, Document& document);
void decodeSteps(fb::Plan const& plan, PartReader& code, Budget& budget, Document& document);
/// Ahead-of-time code of plugins, behind that of the steps; the plugins are decoded already.
void decodeCode(fb::Plan const& plan, PartReader& code, Budget& budget, Document& document);
void decodeGlobals(fb::Plan const& plan, Budget& budget, Document& document);

} // namespace kiln::plan
