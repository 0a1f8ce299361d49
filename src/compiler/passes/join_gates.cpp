// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Gated MLPs: act(x Wg + bg) * (x Wu + bu), with any pointwise operations for act. There are two
// ways to run them: the pointwise operations join one of the products, whose kernel reads the
// other's result, or both products become one, of whose halves a chain of pointwise operations
// reads. The estimates of the target decide; the first way needs nothing from this pass.
#include <algorithm>

#include "compiler/joined_product.h"
#include "compiler/passes/passes.h"
#include "compiler/region_step.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/slice.h"

namespace kiln::compiler {
namespace {

using graph::OpClass;

/// Two products of one tensor, and the pointwise operations that make one tensor of their results.
struct Gate {
    struct Branch {
        ValueId result = ValueId::kNone;
        WeightProduct product;
        Members operations; ///< that read nothing of the other branch
    };
    std::vector<Branch> branches;
    Members common; ///< operations that read both; the last one is the end
};

/// Finds a gate from its last product of two tensors.
class GateMatcher {
public:
    explicit GateMatcher(Program const& program) : program_(program) {}

    std::optional<Gate> match(StepId end) {
        ValueId const output = program_.step(end).outputs()[0];
        shape_ = &program_.value(output).shape;
        if (branchesOf(end) != kBoth || branches_.size() != 2 || tooLarge_) {
            return std::nullopt;
        }
        std::vector<WeightProduct> const parts{branches_[0].product, branches_[1].product};
        Members all = common_;
        for (Gate::Branch const& branch : branches_) {
            all.insert(all.end(), branch.operations.begin(), branch.operations.end());
        }
        if (!JoinedProduct::fits(program_, parts) || !isClosed(all, end)) {
            return std::nullopt;
        }
        return Gate{branches_, common_};
    }

private:
    static constexpr unsigned kBoth = 3; ///< bit i: depends on the result of branch i
    static constexpr std::size_t kMostVisits = 32;

    /// The branches that an operation depends on. Operations are listed behind their operands.
    unsigned branchesOf(StepId id) {
        if (++visits_ > kMostVisits) {
            tooLarge_ = true;
            return 0;
        }
        unsigned found = 0;
        for (ValueId const input : program_.step(id).inputs()) {
            found |= branchesOf(input);
        }
        Members* const list = found == kBoth ? &common_
                              : found == 0   ? nullptr
                                             : &branches_[found - 1].operations;
        if (list != nullptr && !isIn(*list, id)) {
            list->push_back(id);
        }
        return found;
    }

    unsigned branchesOf(ValueId value) {
        Step const* const step = program_.producerOf(value);
        if (step == nullptr || tooLarge_ || program_.value(value).shape != *shape_) {
            return 0;
        }
        if (auto const product = weightProductOf(program_, value)) {
            return branchOf(value, *product);
        }
        bool const joins = !step->isPlugin() && step->outputs().size() == 1 &&
                           step->op->opClass() == OpClass::kPointwise &&
                           program_.value(value).isPrivate();
        return joins ? branchesOf(program_.value(value).producer()) : 0;
    }

    unsigned branchOf(ValueId value, WeightProduct const& product) {
        for (std::size_t i = 0; i < branches_.size(); ++i) {
            if (branches_[i].result == value) {
                return 1U << i;
            }
        }
        branches_.push_back({value, product, {}});
        tooLarge_ = branches_.size() > 2;
        return tooLarge_ ? 0 : 1U << (branches_.size() - 1);
    }

    /// Whether nothing else reads the products and the operations before the last one.
    bool isClosed(Members const& all, StepId end) const {
        return std::none_of(branches_.begin(), branches_.end(),
                            [&](Gate::Branch const& branch) {
                                return isSeenOutside(program_, all, branch.result);
                            }) &&
               std::none_of(all.begin(), all.end(), [&](StepId id) {
                   return id != end && isSeenOutside(program_, all, program_.step(id).outputs()[0]);
               });
    }

    Program const& program_;
    graph::ShapeExpr const* shape_ = nullptr;
    std::vector<Gate::Branch> branches_;
    Members common_;
    std::size_t visits_ = 0;
    bool tooLarge_ = false;
};

class GateJoiner {
public:
    explicit GateJoiner(Program& program)
        : program_(program), rewriter_(program), extents_(extentsOf(program)) {}

    void run() {
        for (StepId const id : program_.order()) {
            auto const* op = program_.step(id).as<graph::ElementWise>();
            if (op == nullptr || op->operation != nvinfer1::ElementWiseOperation::kPROD) {
                continue;
            }
            if (std::optional<Gate> const gate = GateMatcher(program_).match(id)) {
                join(*gate);
            }
        }
    }

private:
    void join(Gate const& gate) {
        constexpr double kWorth = 0.95; // of the estimate of the parts
        JoinedProduct whole(program_, extents_,
                            {gate.branches[0].product, gate.branches[1].product});
        Offer const product = offerFor(program_, extents_, whole.step());
        Members chain = gate.branches[0].operations;
        append(chain, gate.branches[1].operations);
        append(chain, gate.common);
        double const joined = product.seconds + secondsOf(chain);
        if (!product.isThere() || joined >= kWorth * secondsApart(gate)) {
            return;
        }
        StepId const id = whole.insert(rewriter_, "join_gates");
        for (std::size_t i = 0; i < gate.branches.size(); ++i) {
            Gate::Branch const& branch = gate.branches[i];
            std::string const name = program_.step(branch.product.step).name;
            rewriter_.erase(branch.product.step);
            rewriter_.insertAfter(id, slice(whole, i, branch, name));
        }
    }

    Step slice(JoinedProduct const& whole, std::size_t part, Gate::Branch const& branch,
               std::string const& name) const {
        auto op = std::make_unique<graph::Slice>();
        op->axes = makeDims({program_.value(branch.result).shape.rank - 1});
        op->start = makeDims({whole.beginOf(part)});
        op->size = makeDims({branch.product.width});
        op->stride = makeDims({1});
        Step step({whole.result()}, {branch.result});
        step.name = name + "/part";
        step.op = std::move(op);
        return step;
    }

    static void append(Members& members, Members const& more) {
        members.insert(members.end(), more.begin(), more.end());
    }

    /// Seconds if the operations join one of the products, which one does not matter.
    double secondsApart(Gate const& gate) const {
        double best = 0.0;
        for (std::size_t i = 0; i < 2; ++i) {
            Members first{gate.branches[i].product.step};
            append(first, gate.branches[i].operations);
            append(first, gate.common);
            Members second{gate.branches[1 - i].product.step};
            append(second, gate.branches[1 - i].operations);
            double const seconds = secondsBehind(first) + secondsBehind(second);
            best = i == 0 ? seconds : std::min(best, seconds);
        }
        return best;
    }

    /// Seconds of a product with operations behind it, as one kernel if the target has one.
    double secondsBehind(Members const& members) const {
        if (members.size() > 1) {
            Offer const offer = offerForRegion(program_, extents_, regionStep(program_, members));
            if (offer.isThere()) {
                return offer.seconds;
            }
        }
        double const product = offerFor(program_, extents_, program_.step(members[0])).seconds;
        return members.size() == 1
                   ? product
                   : product + secondsOf(Members(members.begin() + 1, members.end()));
    }

    /// Seconds of pointwise operations.
    double secondsOf(Members const& members) const {
        if (members.size() == 1) {
            return offerFor(program_, extents_, program_.step(members[0])).seconds;
        }
        return offerForRegion(program_, extents_, regionStep(program_, members)).seconds;
    }

    Program& program_;
    Rewriter rewriter_;
    Extents extents_;
};

} // namespace

void joinGates(Program& program) {
    GateJoiner(program).run();
}

} // namespace kiln::compiler
