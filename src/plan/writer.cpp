// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/writer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/checked.h"
#include "base/hash.h"
#include "base/huge_pages.h"
#include "base/resident_memory.h"
#include "kiln/version.h"
#include "plan/check.h"
#include "plan/encode.h"
#include "plan/header.h"

namespace kiln::plan {
namespace {

// Operand types of kernels are not stored, so they must equal the types of the step's tensors.
void checkKernelTypes(Document const& document) {
    auto const differ = [&](std::vector<TensorId> const& indices,
                            std::vector<target::OperandType> const& types) {
        return !std::ranges::equal(indices, types, [&](TensorId index, auto const& type) {
            return index == kAbsent ? type == target::kAbsentType
                                    : document.tensors[index].type == type;
        });
    };
    for (StepRecord const& step : document.steps) {
        for (std::size_t i = 0; step.isKernel() && i < step.kernelCount(); ++i) {
            target::KernelRecord const& kernel = step.kernelAt(i);
            if (differ(step.inputsAt(i), kernel.inputs) || differ(step.outputs, kernel.outputs)) {
                fail(ErrorKind::kInternal,
                     "[plan] step '{}': expected the kernel '{}' to have the operand types of its "
                     "tensors, got others. Report this build as a defect of Kiln.",
                     step.name, kernel.kernel);
            }
        }
    }
}

FileHeader makeFileHeader(std::string const& target, bool versionCompatible) {
    FileHeader file{};
    file.flags = versionCompatible ? kVersionCompatible : uint16_t{0};
    file.magic = kMagic;
    file.headerBytes = sizeof(HeaderBlock);
    file.formatVersion = kFormatVersion;
    file.kilnMajor = KILN_VERSION_MAJOR;
    file.kilnMinor = KILN_VERSION_MINOR;
    file.kilnPatch = KILN_VERSION_PATCH;
    file.sectionCount = kSectionCount;
    if (target.empty() || target.size() >= file.target.size()) {
        fail(ErrorKind::kInternal,
             "[plan] expected the name of a target with 1 to {} letters, got '{}'. Report this "
             "build as a defect of Kiln.",
             file.target.size() - 1, target);
    }
    std::ranges::copy(target, file.target.begin());
    return file;
}

/// Appends a part at an offset at or behind the end. Memory that was reserved for the file is first
/// touched here, so that sources can be freed while the file grows.
void append(Bytes& file, uint64_t offset, ByteView part) {
    if (!part.empty()) {
        file.resize(offset);
        file.insert(file.end(), part.begin(), part.end());
    }
}

void appendParts(Bytes& file, uint64_t offset, PartList const& list) {
    for (ByteView const part : list.parts) {
        append(file, offset, part);
        offset += part.size();
    }
}

/// Gives back the memory of constants that are in the file.
class UsedConstants {
public:
    explicit UsedConstants(uint64_t weightBytes)
        : heap_(static_cast<std::size_t>(
              std::clamp<uint64_t>(weightBytes / 8, kLeast, HeapTrimmer::kTrimAfter))) {}

    /// The weights in mapped files that a constant was computed from are not read again. Returns
    /// how many bytes of others may be freed with its recipe.
    std::size_t releaseSources(TensorRecord const& constant) {
        std::size_t others = 0;
        for (target::Recipe const* const part : target::partsOf(*constant.recipe)) {
            bool const isUsers = part->isSource() && part->known().own == nullptr;
            others += isUsers ? 0 : part->bytes();
            if (isUsers) {
                files_.add(part->known().view);
            }
        }
        return others;
    }

    /// Before so many bytes are computed from a constant, or appended.
    void expect(TensorRecord const& constant, std::size_t bytes) {
        std::vector<ByteView> read;
        target::addMapped(*constant.recipe, read);
        // Reading them brings their surroundings into memory, too.
        peak_.expect(bytes + (read.empty() ? 0 : FilePageReleaser::kAround), read);
    }

    /// Drops the elements of a constant.
    void release(TensorRecord& constant) {
        std::size_t freed = constant.packing != nullptr ? constant.constantBytes() : 0;
        freed += constant.recipe != nullptr ? releaseSources(constant) : 0;
        constant.data = {};
        constant.recipe.reset();
        constant.packing.reset();
        heap_.freed(freed);
    }

    void releaseAllSources(Table<TensorId, TensorRecord> const& tensors) {
        for (TensorRecord const& tensor : tensors) {
            if (tensor.recipe != nullptr) {
                releaseSources(tensor);
            }
        }
        files_.release();
    }

private:
    // In a small plan, caches and code that packing needs weigh more than the time to load them.
    static constexpr uint64_t kLeast = uint64_t{2} << 20;

    HeapTrimmer heap_;
    FilePageReleaser files_;
    ResidentPeak peak_;
};

// About how much code of libraries is in memory while weights are packed.
constexpr std::size_t kForPacking = std::size_t{4} << 20;

void appendConstant(Bytes& file, uint64_t offset, TensorRecord const& constant,
                    UsedConstants& used) {
    if (constant.recipe == nullptr) {
        append(file, offset, constant.data);
        return;
    }
    if (constant.packing == nullptr && constant.recipe->isKnown()) {
        used.expect(constant, constant.constantBytes());
        append(file, offset, constant.recipe->known().view); // at any address
        return;
    }
    if (constant.constantBytes() >= ResidentPeak::kWorthExpecting) {
        // The original and the result, with what computes it.
        used.expect(constant, 2 * constant.constantBytes() + kForPacking);
    }
    target::Elements elements = target::elementsOf(*constant.recipe);
    if (constant.packing != nullptr) {
        elements = target::Elements(constant.packing->pack(elements.view));
        used.releaseSources(constant); // else three copies of large weights are in memory
    }
    if (elements.view.size() != constant.constantBytes()) {
        fail(ErrorKind::kInternal,
             "[plan] constant '{}': expected {} bytes from its recipe, got {}. Report this build "
             "as a defect of Kiln.",
             constant.name, constant.constantBytes(), elements.view.size());
    }
    used.expect(constant, constant.constantBytes());
    append(file, offset, elements.view);
}

/// Frees each constant of the document once it is in the file.
void appendWeights(Bytes& file, uint64_t offset, WeightLayout const& weights,
                   Table<TensorId, TensorRecord>& tensors) {
    UsedConstants used(weights.bytes);
    used.releaseAllSources(tensors); // they were read while kernels were measured
    releaseSpareMemory();
    Table<TensorId, bool> unique(tensors.size(), false);
    for (WeightLayout::Placed const& placed : weights.placed) {
        unique[placed.tensor] = true;
    }
    for (TensorId const i : tensors.ids()) {
        if (!unique[i]) {
            used.release(tensors[i]);
        }
    }
    for (WeightLayout::Placed const& placed : weights.placed) {
        appendConstant(file, offset + placed.offset, tensors[placed.tensor], used);
        used.release(tensors[placed.tensor]);
    }
    for (WeightLayout::PlacedSource const& source : weights.sources) {
        append(file, offset + source.offset, source.data);
        releaseFilePages(source.data);
    }
}

} // namespace

PartList codeParts(Document const& document) {
    PartList list;
    for (StepRecord const& step : document.steps) {
        for (std::size_t i = 0; step.isKernel() && i < step.kernelCount(); ++i) {
            list.add(step.kernelAt(i).code);
        }
    }
    for (plugin::PluginRecord const& record : document.plugins) {
        for (plugin::AotVariant const& variant : record.code) {
            for (plugin::AotKernel const& kernel : variant.kernels) {
                for (plugin::CodeImage const& image : kernel.images) {
                    list.add(image.bytes);
                }
            }
        }
    }
    return list;
}

PartList stateParts(Document const& document) {
    PartList list;
    for (plugin::PluginRecord const& record : document.plugins) {
        list.add(record.blob);
        for (plugin::FieldValue const& field : record.fields) {
            list.add(field.data);
        }
    }
    return list;
}

PartList libraryParts(Document const& document) {
    PartList list;
    for (LibraryRecord const& library : document.libraries) {
        list.add(library.data);
    }
    for (SourceRecord const& source : document.sources) {
        list.add(source.text);
    }
    return list;
}

Bytes write(Document document) {
    checkDocument(document, ErrorKind::kInternal);
    checkKernelTypes(document);
    return assemble(std::move(document));
}

Bytes assemble(Document document) {
    releaseSpareMemory(); // of what chose the kernels
    WeightLayout const weights = layoutWeights(document);
    Bytes const metadata = encodeMetadata(document, weights);
    PartList const code = codeParts(document);
    PartList const states = stateParts(document);
    PartList const libraries = libraryParts(document);

    HeaderBlock block{makeFileHeader(document.target, document.versionCompatible), {}};
    std::array<uint64_t, kSectionCount> const lengths{metadata.size(), code.bytes, states.bytes,
                                                      libraries.bytes, weights.bytes};
    uint64_t end = sizeof(HeaderBlock);
    for (uint32_t i = 0; i < kSectionCount; ++i) {
        uint64_t const start = roundUp(end, kAlignment);
        block.sections[i] = {static_cast<SectionKind>(i + 1), 0, start, lengths[i], 0};
        end = lengths[i] == 0 ? end : checkedAdd(start, lengths[i], "length of the plan");
    }
    block.file.totalBytes = end;

    Bytes file;
    file.reserve(end);
    useHugePages(file.data(), file.capacity());
    append(file, block.sections[0].offset, metadata);
    appendParts(file, block.sections[1].offset, code);
    appendParts(file, block.sections[2].offset, states);
    appendParts(file, block.sections[3].offset, libraries);
    appendWeights(file, block.sections[4].offset, weights, document.tensors);
    for (SectionEntry& entry : block.sections) {
        ByteView const all = file;
        entry.hash =
            hashBytes(entry.bytes == 0 ? ByteView{} : all.subspan(entry.offset, entry.bytes));
    }
    block.file.headerHash = headerHash(std::as_bytes(std::span(&block, 1)));
    std::memcpy(file.data(), &block, sizeof(block));
    return file;
}

} // namespace kiln::plan
