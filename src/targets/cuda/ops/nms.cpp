// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// NMS: boxes that do not overlap better ones; see kernels/nms.cuh.
#include "graph/ops/nms.h"

#include <algorithm>

#include "targets/cuda/op_kernel.h"
#include "targets/cuda/ranking.h"
#include "targets/cuda/words.h"

namespace kiln::targets::cuda {
namespace {

using graph::Nms;

constexpr int64_t kWord = 64;
constexpr int64_t kMostCandidates = kWord * 4096; ///< whose words select_boxes counts
constexpr int64_t kMostOfBand = 256;              ///< words
constexpr int64_t kMaskBytes = 256 << 20; ///< bands get smaller if the masks would take more
constexpr int64_t kMostParts = 32;        ///< of all batch items together
constexpr int64_t kLeastPart = 1 << 14;   ///< scores
constexpr int64_t kMostItems = 65535;     ///< of a grid along y

struct NmsKernel {
    using Op = Nms;
    static constexpr bool kInputArray = true;
    struct Arguments {
        int64_t batch = 0;
        int64_t boxes = 0;
        int64_t classes = 0;
        int64_t candidates = 0;
        int64_t padded = 1;
        int64_t parts = 1;
        int64_t room = 0;
        int32_t shared = 0;
        int32_t bandWords = 1;
        int64_t parted = 0;
        int64_t list = 0;
        int64_t corners = 0;
        int64_t masks = 0;
        int64_t removed = 0;
        int64_t kept = 0;
        int64_t selected = 0;
        int64_t tally = 0;
        int64_t counts = 0;
    };

    static std::string refuse(Op const& op, NodeSpec const& node) {
        Op::Shape const shape =
            op.shapeFor(node.inputs[Nms::kBoxes].max, node.inputs[Nms::kScores].max);
        if (shape.candidates > kMostCandidates) {
            return fmt::format("expected a limit of at most {} boxes, got {}", kMostCandidates,
                               shape.candidates);
        }
        return shape.batch <= kMostItems ? std::string()
                                         : fmt::format("expected at most {} batch items, got {}",
                                                       kMostItems, shape.batch);
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        DataType const type = node.inputs[Nms::kBoxes].type.type;
        bool const centers = op.format == nvinfer1::BoundingBoxFormat::kCENTER_SIZES;
        Defines defines = rankingDefines(type, needsWide(node));
        defines.emplace_back("KILN_ELEMENT", kernelTypeName(type));
        defines.emplace_back("INDEX", kernelTypeName(op.indexType));
        defines.emplace_back("LIMIT", kernelTypeName(node.inputs[Nms::kMost].type.type));
        defines.emplace_back("INPUTS", std::to_string(node.inputs.size()));
        defines.emplace_back("KILN_OVERLAP", node.has(Nms::kOverlap) ? "1" : "0");
        defines.emplace_back("KILN_SCORE", node.has(Nms::kLeastScore) ? "1" : "0");
        defines.emplace_back("KILN_CENTERS", centers ? "1" : "0");
        return sourceOf("nms", std::move(defines));
    }

    static std::size_t workspaceBytes(Op const& op, Workload const& workload) {
        Arguments arguments;
        return static_cast<std::size_t>(setArguments(op, workload, arguments));
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        setArguments(op, workload, arguments);
        int64_t const words = wordsOf(arguments);
        if (arguments.batch == 0 || words == 0) {
            arguments.batch = 0; // no candidates: only the number is written
            return {{"write_boxes", 1, 1, 1, 256}};
        }
        std::vector<GridLaunch> launches;
        if (arguments.parts > 1) {
            launches.push_back(
                {"collect_parts", arguments.batch * arguments.parts, 1, 1, kRankThreads});
        }
        launches.push_back({"rank_candidates", arguments.batch, 1, 1, kRankThreads});
        for (int64_t word = 0; word < words; word += arguments.bandWords) {
            int64_t const compared = std::min<int64_t>(arguments.bandWords, words - word);
            launches.push_back({"compare_boxes", compared * words, arguments.batch, 1, kWord});
            launches.push_back({"select_boxes", arguments.batch, 1, 1, 256});
            if (word + arguments.bandWords < words) {
                launches.push_back({"suppress_behind", (words + 31) / 32, arguments.batch, 1, 256});
            }
        }
        launches.push_back({"write_boxes", arguments.batch, 1, 1, 256});
        return launches;
    }

private:
    static int64_t wordsOf(Arguments const& arguments) {
        return (arguments.candidates + kWord - 1) / kWord;
    }

    /// Sets the words of a band and returns the bytes of its masks, of these and all smaller
    /// extents.
    static int64_t setBand(Arguments& arguments) {
        int64_t const words = wordsOf(arguments);
        int64_t const perWord = std::max<int64_t>(arguments.batch * kWord * words * 8, 1);
        int64_t const most = std::min({kMostOfBand, words, kMaskBytes / perWord});
        arguments.bandWords = static_cast<int32_t>(std::max<int64_t>(most, 1));
        return std::min(words * perWord, std::max(kMaskBytes, perWord));
    }

    /// Returns the bytes of the workspace.
    static int64_t setArguments(Op const& op, Workload const& workload, Arguments& arguments) {
        Op::Shape const shape =
            op.shapeFor(workload.inputs[Nms::kBoxes], workload.inputs[Nms::kScores]);
        arguments.batch = shape.batch;
        arguments.boxes = shape.boxes;
        arguments.classes = shape.classes;
        arguments.candidates = shape.candidates;
        arguments.padded = paddedCount(shape.candidates);
        arguments.room = workload.outputs[0].d[0];
        arguments.shared = shape.shared ? 1 : 0;
        int64_t const items = std::max<int64_t>(shape.batch, 1);
        int64_t const scores = shape.boxes * shape.classes;
        bool const mayPart = scores >= 2 * kLeastPart;
        int64_t const most = std::min(
            {kMostParts / items, scores / kLeastPart, scores / (2 * (shape.candidates + 1))});
        arguments.parts = mayPart ? std::max<int64_t>(most, 1) : 1;
        int64_t const all = shape.batch * shape.candidates;
        int64_t const words = wordsOf(arguments);
        int64_t end = 0;
        auto const place = [&](int64_t& offset, int64_t bytes) {
            offset = end;
            end += (bytes + 63) / 64 * 64;
        };
        int64_t const entry = entryBytes(DataType::kINT64, true);
        // Smaller batches have more parts, kMostParts in all.
        place(arguments.parted,
              mayPart ? std::max(kMostParts, shape.batch) * shape.candidates * entry : 0);
        place(arguments.list, shape.batch * arguments.padded * entry);
        place(arguments.corners, all * 16);
        place(arguments.masks, setBand(arguments));
        place(arguments.removed, shape.batch * words * 8);
        place(arguments.kept, shape.batch * words * 8);
        place(arguments.selected, all * 4);
        place(arguments.tally, shape.batch * shape.classes * 4);
        place(arguments.counts, 3 * shape.batch * 8);
        return std::max<int64_t>(end, 64);
    }
};

} // namespace

void registerKernel_nms(KernelRegistry& registry) {
    registry.add(entryOf<NmsKernel>("nms_bits"));
}

} // namespace kiln::targets::cuda
