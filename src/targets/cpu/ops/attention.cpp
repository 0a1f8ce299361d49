// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// attention: softmax(scale * Q K^T + mask) V for each head. float32, float16 and bfloat16. The
// reference computes the scores of one query at a time in float64; threads share the heads.
#include "target/workload/attention.h"

#include <cmath>
#include <limits>

#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

using target::AttentionWorkload;

struct AttentionReference {
    using Op = graph::Attention;
    using State = AttentionWorkload;

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static double estimate(Op const& op, NodeSpec const& node) {
        return target::attentionOperations(op, node) * 1e-9;
    }

    static std::size_t workspaceBytes(Op const& op, Workload const& workload) {
        AttentionWorkload const at = target::attentionWorkload(op, workload);
        return static_cast<std::size_t>(at.batch * at.heads) * perHead(at) * sizeof(double);
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = target::attentionWorkload(op, workload);
        return dispatchFloat(
            workload.type(), "attention",
            [](auto value) -> target::KernelFunction { return launchOf<&run<decltype(value)>>; });
    }

private:
    /// Numbers of scratch memory: the scores of one query, and its result.
    static std::size_t perHead(AttentionWorkload const& at) {
        return static_cast<std::size_t>(at.keys + at.valueSize);
    }

    template <typename T>
    static void run(State const& at, KernelCall const& call) {
        auto* const scratch = static_cast<double*>(call.workspace);
        parallelFor(at.batch * at.heads, 1, [&](int64_t begin, int64_t end) {
            for (int64_t head = begin; head < end; ++head) {
                double* const scores = scratch + static_cast<std::size_t>(head) * perHead(at);
                for (int64_t i = 0; i < at.queries; ++i) {
                    attend<T>(at, call, head / at.heads, head % at.heads, i, scores);
                }
            }
        });
    }

    template <typename T>
    static void attend(State const& at, KernelCall const& call, int64_t b, int64_t h, int64_t i,
                       double* scores) {
        int64_t const keys = at.keysOf(i);
        T const* const query = static_cast<T const*>(call.inputs[0]) + at.query.at(b, h, i);
        double largest = -std::numeric_limits<double>::infinity();
        for (int64_t j = 0; j < keys; ++j) {
            T const* const key =
                static_cast<T const*>(call.inputs[1]) + at.key.at(b, h / at.group, j);
            double sum = 0.0;
            for (int64_t c = 0; c < at.size; ++c) {
                sum += static_cast<double>(load(query[c * at.query.channel])) *
                       static_cast<double>(load(key[c * at.key.channel]));
            }
            scores[j] = masked<T>(at, call, b, h, i, j, sum * static_cast<double>(at.scale));
            largest = std::max(largest, scores[j]);
        }
        T* const to = static_cast<T*>(call.outputs[0]) + at.output.at(b, h, i);
        if (largest == -std::numeric_limits<double>::infinity()) {
            for (int64_t c = 0; c < at.valueSize; ++c) {
                to[c * at.output.channel] = store<T>(at.withoutKeys);
            }
            return;
        }
        double total = 0.0;
        for (int64_t j = 0; j < keys; ++j) {
            scores[j] = std::exp(scores[j] - largest);
            total += scores[j];
        }
        double* const result = scores + at.keys;
        std::fill_n(result, at.valueSize, 0.0);
        for (int64_t j = 0; j < keys; ++j) {
            T const* const value =
                static_cast<T const*>(call.inputs[2]) + at.value.at(b, h / at.group, j);
            for (int64_t c = 0; c < at.valueSize; ++c) {
                result[c] += scores[j] * static_cast<double>(load(value[c * at.value.channel]));
            }
        }
        for (int64_t c = 0; c < at.valueSize; ++c) {
            to[c * at.output.channel] = store<T>(static_cast<float>(result[c] / total));
        }
    }

    template <typename T>
    static double masked(State const& at, KernelCall const& call, int64_t b, int64_t h, int64_t i,
                         int64_t j, double score) {
        int64_t const place = b * at.maskStrides.batch + h * at.maskStrides.head +
                              i * at.maskStrides.query + j * at.maskStrides.key;
        if (at.mask == AttentionWorkload::Mask::kNone) {
            return score;
        }
        if (at.mask == AttentionWorkload::Mask::kAdded) {
            return score + static_cast<double>(load(static_cast<T const*>(call.inputs[3])[place]));
        }
        bool const marked = static_cast<uint8_t const*>(call.inputs[3])[place] != 0;
        return marked == (at.mask == AttentionWorkload::Mask::kKept)
                   ? score
                   : -std::numeric_limits<double>::infinity();
    }
};

} // namespace

void registerKernel_attention(KernelRegistry& registry) {
    registry.add(entryOf<AttentionReference>("attention_reference"));
}

} // namespace kiln::targets::cpu
