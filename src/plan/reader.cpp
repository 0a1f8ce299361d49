// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/reader.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "plan/check.h"
#include "plan/decode.h"
#include "plan/header.h"

namespace kiln::plan {
namespace {

constexpr std::array kAllSections{SectionKind::kMetadata, SectionKind::kCode, SectionKind::kStates,
                                  SectionKind::kLibraries, SectionKind::kWeights};

bool verificationWanted() {
    char const* const value = std::getenv("KILN_VERIFY");
    return value != nullptr && std::string_view(value) == "1";
}

void setKernelTypes(Document& document) {
    auto const typesOf = [&](std::vector<TensorId> const& indices) {
        std::vector<target::OperandType> types;
        types.reserve(indices.size());
        for (TensorId const index : indices) {
            types.push_back(index == kAbsent ? target::kAbsentType : document.tensors[index].type);
        }
        return types;
    };
    for (StepRecord& step : document.steps) {
        if (step.isKernel()) {
            step.kernel.inputs = typesOf(step.inputs);
            step.kernel.outputs = typesOf(step.outputs);
            for (OtherKernel& other : step.otherKernels) {
                other.kernel.inputs = typesOf(other.inputs);
                other.kernel.outputs = step.kernel.outputs;
            }
        }
    }
}

Document decode(Header const& header) {
    ByteView metadata = header.section(SectionKind::kMetadata);
    Bytes aligned;
    if (reinterpret_cast<std::uintptr_t>(metadata.data()) % alignof(uint64_t) != 0) {
        aligned.assign(metadata.begin(), metadata.end());
        metadata = aligned;
    }
    fb::Plan const& plan = verifiedPlan(metadata);
    Budget budget(metadata.size());
    PartReader code(header.section(SectionKind::kCode), sectionName(SectionKind::kCode));
    PartReader states(header.section(SectionKind::kStates), sectionName(SectionKind::kStates));
    PartReader libraries(header.section(SectionKind::kLibraries),
                         sectionName(SectionKind::kLibraries));
    Document document;
    document.target = header.target();
    document.kilnVersion = header.kilnVersion();
    document.versionCompatible = header.versionCompatible();
    decodeGlobals(plan, budget, document);
    decodeTensors(plan, header.section(SectionKind::kWeights), budget, document);
    decodeRecipes(plan, header.section(SectionKind::kWeights), budget, document);
    decodeProfiles(plan, budget, document);
    decodePlugins(plan, states, budget, document);
    decodeLibraries(plan, libraries, budget, document);
    decodeSources(plan, libraries, budget, document);
    decodeSteps(plan, code, budget, document);
    decodeCode(plan, code, budget, document);
    return document;
}

} // namespace

Document read(ByteView bytes, bool verifyWeights) {
    Header const header(bytes);
    header.expectIntact(SectionKind::kMetadata);
    header.expectIntact(SectionKind::kCode);
    header.expectIntact(SectionKind::kStates);
    header.expectIntact(SectionKind::kLibraries);
    if (verifyWeights || verificationWanted()) {
        header.expectIntact(SectionKind::kWeights);
    }
    Document document = decode(header);
    checkDocument(document, ErrorKind::kCorruptData);
    setKernelTypes(document);
    return document;
}

std::vector<SectionInfo> checkSections(ByteView bytes) {
    Header const header(bytes);
    std::vector<SectionInfo> sections;
    for (SectionKind const kind : kAllSections) {
        SectionEntry const& entry = header.entry(kind);
        sections.push_back({sectionName(kind), entry.offset, entry.bytes, header.intact(kind)});
    }
    return sections;
}

} // namespace kiln::plan
