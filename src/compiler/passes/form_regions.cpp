// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Joins operations to regions that the target runs as one kernel. An anchor (a product, a window)
// takes the pointwise operation in front of it, if the target can, and the chain behind it. What is
// left of the pointwise operations joins to chains of its own, which a reduction may end, and which
// read slices of tensors where they lie. The target is offered the largest region first; if it
// refuses, the region is tried without its slices, then without its last operation.
#include <algorithm>
#include <unordered_map>

#include "compiler/passes/passes.h"
#include "compiler/region_step.h"
#include "compiler/rewriter.h"
#include "graph/ops/dequantize.h"
#include "graph/ops/region.h"

namespace kiln::compiler {
namespace {

using graph::OpClass;

constexpr std::size_t kMostOperations = 32;
constexpr std::string_view kDequantize = graph::Dequantize::kKind;

class RegionFormer {
public:
    explicit RegionFormer(Program& program)
        : program_(program), rewriter_(program), extents_(extentsOf(program)) {}

    void run() {
        number();
        for (StepId const id : program_.order()) {
            if (classOf(id) == OpClass::kAnchor) {
                formAround(id);
            }
        }
        for (StepId const id : program_.order()) {
            if (classOf(id) == OpClass::kPointwise && chains_.count(id) == 0) {
                form(chainFrom(id));
            }
        }
    }

private:
    void number() {
        places_.resize(program_.stepIdCount());
        int32_t next = 0;
        for (StepId const id : program_.order()) {
            places_[id] = next++;
        }
    }

    OpClass classOf(StepId id) const {
        Step const& step = program_.step(id);
        bool const whole =
            std::none_of(step.inputs().begin(), step.inputs().end(),
                         [&](ValueId input) { return program_.value(input).isAbsent(); });
        return step.isPlugin() || step.outputs().size() != 1 || !whole ? OpClass::kOther
                                                                       : step.op->opClass();
    }

    /// The anchor, and the pointwise operations behind it, up to the last one after which nothing
    /// outside reads another value of the region than its last: x * sigmoid(x) reads x twice.
    Members behindAnchor(StepId anchor) const {
        Members members{anchor};
        graph::ShapeExpr const& shape = program_.value(program_.step(anchor).outputs()[0]).shape;
        std::size_t whole = 1;
        while (members.size() < kMostOperations && isPrivate(members.back())) {
            StepId const next = firstReaderOf(members);
            if (next == StepId::kNone || classOf(next) != OpClass::kPointwise ||
                program_.value(program_.step(next).outputs()[0]).shape != shape) {
                break;
            }
            members.push_back(next);
            bool const closed =
                std::none_of(members.begin(), members.end() - 1, [&](StepId member) {
                    return isSeenOutside(program_, members, program_.step(member).outputs()[0]);
                });
            whole = closed ? members.size() : whole;
        }
        members.resize(whole);
        return members;
    }

    bool isPrivate(StepId id) const {
        return program_.value(program_.step(id).outputs()[0]).isPrivate();
    }

    /// Pointwise operations of one shape that follow each other, up to a reduction. An operation
    /// may join if nothing outside reads the values of the members before it runs.
    Members chainFrom(StepId first) const {
        Members members{first};
        graph::ShapeExpr const& shape = program_.value(program_.step(first).outputs()[0]).shape;
        while (members.size() < kMostOperations) {
            StepId const next = firstReaderOf(members);
            if (next == StepId::kNone || chains_.count(next) != 0) {
                break;
            }
            bool const joins = classOf(next) == OpClass::kPointwise &&
                               program_.value(program_.step(next).outputs()[0]).shape == shape;
            bool const ends = endsChain(members, next);
            if (joins || ends) {
                members.push_back(next);
                absorbOperands(members, next);
            }
            if (!joins) {
                break; // the region must stand in front of this step
            }
        }
        return members;
    }

    /// Adds the pointwise operations that make operands of a member for the members alone.
    void absorbOperands(Members& members, StepId reader) const {
        graph::ShapeExpr const& shape =
            program_.value(program_.step(members.front()).outputs()[0]).shape;
        for (ValueId const input : program_.step(reader).inputs()) {
            StepId const id = program_.value(input).producer();
            if (members.size() >= kMostOperations || id == StepId::kNone || isIn(members, id) ||
                classOf(id) != OpClass::kPointwise || chains_.count(id) != 0 ||
                program_.value(input).shape != shape || isSeenOutside(program_, members, input)) {
                continue;
            }
            auto const place = std::find_if(members.begin(), members.end(), [&](StepId member) {
                return places_[member] > places_[id];
            });
            members.insert(place, id);
            absorbOperands(members, id);
        }
    }

    /// The first step outside that reads a value of the members; kNone if there is none.
    StepId firstReaderOf(Members const& members) const {
        StepId first = StepId::kNone;
        for (StepId const member : members) {
            Value const& value = program_.value(program_.step(member).outputs()[0]);
            for (Use const& use : value.users()) {
                if (!isIn(members, use.step) &&
                    (first == StepId::kNone || places_[use.step] < places_[first])) {
                    first = use.step;
                }
            }
        }
        return first;
    }

    /// Whether a reduction reads the last value, and nothing else does.
    bool endsChain(Members const& members, StepId id) const {
        if (classOf(id) != OpClass::kReduction) {
            return false;
        }
        Value const& value = program_.value(program_.step(members.back()).outputs()[0]);
        return value.isPrivate() && value.users().size() == 1 && value.users()[0].step == id;
    }

    /// The anchor with the operation in front and those behind it; without the former, if the
    /// target refuses.
    void formAround(StepId anchor) {
        Members const behind = behindAnchor(anchor);
        std::vector<std::string> refusals;
        if (formQuantized(behind, refusals)) {
            return;
        }
        if (StepId const front = inFrontOf(anchor); front != StepId::kNone) {
            Members whole{front};
            whole.insert(whole.end(), behind.begin(), behind.end());
            if (whole.size() <= kMostOperations && takesNarrowTypes(whole, refusals) &&
                formed(whole, refusals)) {
                return;
            }
        }
        form(behind, std::move(refusals));
    }

    /// An anchor of two dequantized operands, or of dequantized weights, with as many of the
    /// operations behind it as the target takes: see keepQuantized().
    bool formQuantized(Members const& behind, std::vector<std::string>& refusals) {
        Step const& anchor = program_.step(behind.front());
        if (anchor.inputs().size() < 2) {
            return false;
        }
        StepId const first = program_.value(anchor.inputs()[0]).producer();
        StepId const second = program_.value(anchor.inputs()[1]).producer();
        if (second == StepId::kNone || !program_.step(second).kept || !isDequantization(second)) {
            return false;
        }
        bool const both = first != StepId::kNone && first != second && isDequantization(first);
        return (both && formBehind({first, second}, behind, refusals)) ||
               formBehind({second}, behind, refusals);
    }

    bool isDequantization(StepId id) const { return program_.step(id).op->kind() == kDequantize; }

    /// These steps and as many of those behind as the target takes.
    bool formBehind(Members const& front, Members behind, std::vector<std::string>& refusals) {
        for (; !behind.empty(); behind.pop_back()) {
            Members whole = front;
            whole.insert(whole.end(), behind.begin(), behind.end());
            if (whole.size() <= kMostOperations && formed(whole, refusals)) {
                return true;
            }
        }
        return false;
    }

    /// Whether the target takes a region in the narrower types that the flags allow, in which the
    /// anchor alone may be faster.
    bool takesNarrowTypes(Members const& members, std::vector<std::string>& refusals) const {
        Options const& options = program_.options;
        Step const step = regionStep(program_, members);
        if (step.outputs().empty() || !offerForRegion(program_, extents_, step).isThere()) {
            return true; // formed() says why it takes none
        }
        for (auto const& [type, allowed] : {std::pair(DataType::kHALF, options.allowHalf),
                                            std::pair(DataType::kBF16, options.allowBfloat16)}) {
            if (!allowed || program_.stronglyTyped || step.pinned) {
                continue;
            }
            std::string const refusal = offerFor(program_, extents_, step, type).refusal;
            if (!refusal.empty()) {
                refusals.push_back(refusal);
                return false;
            }
        }
        return true;
    }

    /// The pointwise operation that makes the first operand of an anchor, for it alone; kNone if
    /// there is none.
    StepId inFrontOf(StepId anchor) const {
        ValueId const source = program_.step(anchor).inputs()[0];
        StepId const id = program_.value(source).producer();
        bool const alone = id != StepId::kNone && classOf(id) == OpClass::kPointwise &&
                           program_.value(source).isPrivate() &&
                           program_.value(source).users().size() == 1;
        return alone ? id : StepId::kNone;
    }

    /// Forms the largest region of the first members that the target takes.
    void form(Members members, std::vector<std::string> refusals = {}) {
        bool const anchored = classOf(members.front()) == OpClass::kAnchor;
        for (; !members.empty(); members.pop_back()) {
            Members whole = anchored ? Members() : slicesFor(program_, members);
            bool const slices = !whole.empty();
            whole.insert(whole.end(), members.begin(), members.end());
            if ((whole.size() > 1 && formed(whole, refusals)) ||
                (slices && members.size() > 1 && formed(members, refusals))) {
                return;
            }
        }
    }

    /// Whether the target takes the region; else says why not.
    bool formed(Members const& members, std::vector<std::string>& refusals) {
        Step step = regionStep(program_, members);
        if (step.outputs().empty()) {
            return false;
        }
        std::string refusal = offerForRegion(program_, extents_, step).refusal;
        if (!refusal.empty()) {
            program_.options.log.verbose("[select] region '{}': {}", step.name, refusal);
            refusals.push_back(std::move(refusal));
            return false;
        }
        step.reasons = std::move(refusals);
        replace(members, std::move(step));
        return true;
    }

    void replace(Members const& members, Step region) {
        Step const& last = program_.step(members.back());
        region.metadata = last.metadata;
        StepId const place = program_.afterOf(members.back());
        std::string const name = region.name;
        StepId const id = rewriter_.insertBefore(place, std::move(region));
        rewriter_.join(id, members, "region");
        program_.step(id).name = name;
        places_.resize(program_.stepIdCount());
        places_[id] = places_[members.back()];
        for (StepId const member : members) {
            chains_.insert({member, id});
            rewriter_.erase(member);
        }
        chains_.insert({id, id});
    }

    Program& program_;
    Rewriter rewriter_;
    Extents extents_;
    Table<StepId, int32_t> places_;             ///< in the order of execution
    std::unordered_map<StepId, StepId> chains_; ///< the region of steps that are in one
};

} // namespace

void formRegions(Program& program) {
    RegionFormer(program).run();
}

} // namespace kiln::compiler
