// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/onednn/recipe.h"

#include <algorithm>

#include "base/parallel.h"
#include "target/workload/node_at.h"
#include "targets/cpu/onednn/openmp.h"
#include "targets/cpu/onednn/padded_source.h"

namespace kiln::targets::cpu::onednn {
namespace {

using target::NodeAt;

constexpr uint32_t kVersion = DNNL_VERSION_MAJOR * 1000 + DNNL_VERSION_MINOR;

/// Exhausted memory is no reason to take a slower kernel. Called in a handler.
void rethrowExhaustion(Error const& error) {
    if (error.kind() == ErrorKind::kOutOfMemory) {
        throw;
    }
}

class Selector {
public:
    Selector(Fusion const& fusion, target::NodeSpec const& node)
        : fusion_(fusion), anchor_(anchorOf(fusion)), node_(node) {
        for (NodeAt::Point const point : NodeAt::kPoints) {
            NodeAt corner(node, point);
            if (volume(corner.workload().outputs[0], "kernel output") != 0) {
                corners_.push_back(std::move(corner));
            }
        }
    }

    Selection run() {
        Selection result;
        if (corners_.empty()) {
            result.refusal = "expected an output that is not empty";
            return result;
        }
        std::vector<Order> const orders = candidates();
        for (Order const order : orders) {
            if (fits(order, result)) {
                result.refusal.clear();
                break;
            }
        }
        return result;
    }

    /// Whether it takes these weights; sets the recipe or the refusal.
    bool fits(Order order, Selection& result) const {
        result.recipe = {order, 0, fusion_.overwritten, fusion_.scale, {}, 0};
        bool const packed =
            fusion_.scale >= 0 || hasPaddedSource(fusion_, corners_.front().workload().inputTypes);
        if (!order.isPacked() && packed) {
            result.refusal = "expected constant weights, packed for padded or scaled channels";
            return false;
        }
        if (fusion_.widens && order.tag != Order::kOwn) {
            result.refusal = "expected constant weights with constant scales";
            return false;
        }
        try {
            for (NodeAt const& corner : corners_) {
                Blueprint const blueprint = anchor_.describe(fusion_, corner.workload(), order);
                if (blueprint.isReference()) {
                    result.refusal = fmt::format("oneDNN has only the reference '{}' for it",
                                                 blueprint.implementation());
                    return false;
                }
                result.recipe.scratchBytes =
                    std::max<uint64_t>(result.recipe.scratchBytes, blueprint.scratchBytes());
            }
            return fusion_.scale < 0 || findRuns(result);
        } catch (Error const& error) {
            rethrowExhaustion(error);
            result.refusal = error.what();
            return false;
        }
    }

private:
    bool findRuns(Selection& result) const {
        target::Workload const optimum = corners_.front().workload();
        Weights const weights = anchor_.weightsOf(fusion_, optimum.inputTypes,
                                                  optimum.inputs[anchor_.weightsAt(fusion_)]);
        std::optional<ChannelRuns> const runs = channelRunsOf(weights, result.recipe.order);
        result.recipe.runs = runs.value_or(ChannelRuns());
        result.recipe.scaledBytes =
            Library::instance().memory_desc_get_size(weights.in(result.recipe.order).get());
        result.refusal = runs ? "" : "the order of the weights scatters the channels";
        return runs.has_value();
    }

    /// What oneDNN likes best at the optimum, and the plain order: first if it is the same. Each
    /// primitive has its own if no tag describes what it likes.
    std::vector<Order> candidates() const {
        std::size_t const at = anchor_.weightsAt(fusion_);
        bool const takes = std::all_of(corners_.begin(), corners_.end(), [&](NodeAt const& corner) {
            return anchor_.takesOrder(fusion_, corner.workload());
        });
        if (!node_.inputs[at].constant || !takes) {
            return {{}};
        }
        if (fusion_.widens) {
            bool const known = node_.inputs[fusion_.scaleOfWeights()].constant;
            return {{known ? Order::kOwn : Order::kPlain}};
        }
        try {
            target::Workload const optimum = corners_.front().workload();
            Blueprint const blueprint = anchor_.describe(fusion_, optimum, {Order::kAny});
            Weights const weights =
                anchor_.weightsOf(fusion_, optimum.inputTypes, optimum.inputs[at]);
            std::vector<Order> orders =
                ordersOf(blueprint.weights(), weights.type, weights.extents);
            if (orders.empty()) {
                orders.push_back({Order::kOwn});
            }
            bool const plain = Library::instance().memory_desc_equal(weights.in({}).get(),
                                                                     blueprint.weights()) != 0;
            orders.insert(plain ? orders.begin() : orders.end(), Order{});
            return orders;
        } catch (Error const& error) { // fits() finds the reason
            rethrowExhaustion(error);
            return {{}};
        }
    }

    Fusion const& fusion_;
    Anchor const& anchor_;
    target::NodeSpec const& node_;
    std::vector<NodeAt> corners_; ///< without empty ones, the optimum first
};

} // namespace

uint64_t Recipe::scaledAt() const noexcept {
    constexpr uint64_t kAlignment = 64;
    return scale < 0 ? scratchBytes : (scratchBytes + kAlignment - 1) / kAlignment * kAlignment;
}

Bytes Recipe::save() const {
    ByteWriter writer;
    writer.put(kVersion);
    writer.put(order.tag);
    writer.put(scratchBytes);
    writer.put(scale);
    writer.put(runs.run);
    writer.put(runs.period);
    writer.put(scaledBytes);
    writer.put(overwritten);
    return writer.take();
}

Recipe Recipe::load(ByteView bytes) {
    ByteReader reader(bytes, "recipe of a kernel of oneDNN");
    if (auto const version = reader.get<uint32_t>(); version != kVersion) {
        fail(ErrorKind::kUnsupported,
             "[plan] expected weights packed for oneDNN {}.{}, got them for {}.{}. Build the plan "
             "again.",
             kVersion / 1000, kVersion % 1000, version / 1000, version % 1000);
    }
    Recipe recipe;
    recipe.order.tag = reader.get<uint16_t>();
    recipe.scratchBytes = reader.get<uint64_t>();
    recipe.scale = reader.get<int32_t>();
    recipe.runs.run = reader.get<int64_t>();
    recipe.runs.period = reader.get<int64_t>();
    recipe.scaledBytes = reader.get<uint64_t>();
    recipe.overwritten = reader.get<int32_t>();
    reader.finish();
    if (recipe.order.tag == Order::kAny) {
        fail(ErrorKind::kCorruptData,
             "[plan] weights packed for oneDNN: expected an order, got number {}. Build the plan "
             "again.",
             recipe.order.tag);
    }
    if (recipe.scale < 0 && recipe.scaledBytes != 0) {
        fail(ErrorKind::kCorruptData,
             "[plan] weights packed for oneDNN: expected no bytes for scaled ones, got {}. Build "
             "the plan again.",
             recipe.scaledBytes);
    }
    if (recipe.scale >= 0 &&
        (recipe.runs.run < 1 || recipe.runs.period < 1 || !recipe.order.isPacked())) {
        fail(ErrorKind::kCorruptData,
             "[plan] weights packed for oneDNN: expected the place of the channels, which are "
             "scaled, got runs of {} of {} channels. Build the plan again.",
             recipe.runs.run, recipe.runs.period);
    }
    return recipe;
}

std::string overwriteProblem(Fusion const& fusion, target::Workload const& workload) {
    if (fusion.overwritten < 0) {
        return {};
    }
    auto const input = static_cast<std::size_t>(fusion.overwritten);
    auto const reads = [&](PostOp const& op) { return op.operand == fusion.overwritten; };
    auto const sum = std::find_if(fusion.postOps.begin(), fusion.postOps.end(), reads);
    bool const once =
        std::count_if(fusion.postOps.begin(), fusion.postOps.end(), reads) == 1 &&
        std::count(fusion.anchorInputs.begin(), fusion.anchorInputs.end(), fusion.overwritten) == 0;
    if (!once || sum->kind != dnnl_binary_add || input >= workload.inputs.size() ||
        workload.inputTypes[input] != workload.outputTypes[0] ||
        !sameDims(workload.inputs[input], workload.outputs[0])) {
        return fmt::format("expected input {}, whose memory the output takes, to be a term of one "
                           "sum, of the output's type and shape",
                           input);
    }
    return {};
}

std::optional<Recipe> overwriting(Fusion const& fusion, target::NodeSpec const& node,
                                  Recipe const& recipe, std::size_t input) {
    Fusion changed = fusion;
    changed.overwritten = static_cast<int32_t>(input);
    for (NodeAt::Point const point : NodeAt::kPoints) {
        if (!overwriteProblem(changed, NodeAt(node, point).workload()).empty()) {
            return std::nullopt;
        }
    }
    ForThreads const threads(threadCount());
    Selection result;
    return Selector(changed, node).fits(recipe.order, result) ? std::optional(result.recipe)
                                                              : std::nullopt;
}

Selection select(Fusion const& fusion, target::NodeSpec const& node) {
    ForThreads const threads(threadCount());
    return Selector(fusion, node).run();
}

} // namespace kiln::targets::cpu::onednn
