// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A few queries, as in decoding: both products read keys and values once, a row at a time.
#include "targets/cpu/attention/operands.h"
#include "targets/cpu/attention/tiles.h"

namespace kiln::targets::cpu {
namespace {

/// to[row] = x . rows[row]
void multiplyRows(float const* x, FloatRows const& rows, int64_t count, int64_t size,
                  float* to) noexcept {
    if (rows.channelStep == 1) {
        isa().dots(x, rows.data, rows.rowStep, size, count, to);
    } else {
        std::fill_n(to, count, 0.0F);
        isa().weightedSum(x, size, rows.data, rows.channelStep, count, to);
    }
}

/// to += sum of weights[row] * rows[row]
void addRows(float const* weights, FloatRows const& rows, int64_t count, int64_t size,
             float* to) noexcept {
    if (rows.channelStep == 1) {
        isa().weightedSum(weights, count, rows.data, rows.rowStep, size, to);
        return;
    }
    float sums[kLargestHead];
    isa().dots(weights, rows.data, rows.channelStep, count, size, sums);
    for (int64_t i = 0; i < size; ++i) {
        to[i] += sums[i];
    }
}

/// One query and its result so far.
struct Row {
    float query[kLargestHead];
    float result[kLargestHead];
    float largest;
    float sum;
};

template <typename T>
class FewQueries {
public:
    FewQueries(AttentionWorkload const& at, target::KernelCall const& call, int64_t batch,
               int64_t head) noexcept
        : at_(at), call_(call), batch_(batch), head_(head) {}

    void run() noexcept {
        for (int64_t i = 0; i < at_.queries; ++i) {
            readQuery(i, rows_[i]);
        }
        int64_t const source = head_ / at_.group;
        int64_t const step = keysOfBlock(at_);
        int64_t const end = at_.keysOf(at_.queries - 1);
        for (int64_t key = 0; key < end; key += step) {
            int64_t const count = std::min(step, end - key);
            FloatRows const keys = readRows(operandAt<T>(call_, 1, at_.key, batch_, source, key),
                                            at_.key, count, at_.size, copies_);
            for (int64_t i = 0; i < at_.queries; ++i) {
                multiplyRows(rows_[i].query, keys, count, at_.size, scores_[i]);
                weigh(i, key, count);
            }
            FloatRows const values =
                readRows(operandAt<T>(call_, 2, at_.value, batch_, source, key), at_.value, count,
                         at_.valueSize, copies_);
            for (int64_t i = 0; i < at_.queries; ++i) {
                addRows(scores_[i], values, count, at_.valueSize, rows_[i].result);
            }
        }
        for (int64_t i = 0; i < at_.queries; ++i) {
            writeResult(i, rows_[i]);
        }
    }

private:
    void readQuery(int64_t index, Row& row) const noexcept {
        readInto(operandAt<T>(call_, 0, at_.query, batch_, head_, index), at_.query.channel,
                 at_.size, row.query);
        for (int64_t i = 0; i < at_.size; ++i) {
            row.query[i] *= at_.scale;
        }
        std::fill_n(row.result, at_.valueSize, 0.0F);
        row.largest = -std::numeric_limits<float>::infinity();
        row.sum = 0.0F;
    }

    /// Replaces scores by powers, and corrects the sum and the result for a new maximum.
    void weigh(int64_t index, int64_t key, int64_t count) noexcept {
        constexpr float kNone = -std::numeric_limits<float>::infinity();
        float* const scores = scores_[index];
        if (at_.mask != AttentionWorkload::Mask::kNone) {
            auto const& strides = at_.maskStrides;
            int64_t const place = batch_ * strides.batch + head_ * strides.head +
                                  index * strides.query + key * strides.key;
            float mask[kMostKeys];
            readMask<T>(at_, call_.inputs[3], place, count, mask);
            for (int64_t i = 0; i < count; ++i) {
                scores[i] += mask[i];
            }
        }
        int64_t const seen = std::clamp<int64_t>(at_.keysOf(index) - key, 0, count);
        std::fill(scores + seen, scores + count, kNone);
        Row& row = rows_[index];
        float const before = row.largest;
        row.largest = std::max(before, isa().maximum(scores, count));
        // If no key is seen yet, all powers must be 0, not NaN.
        float const shift = row.largest == kNone ? 0.0F : row.largest;
        float const factor = std::exp(before - shift);
        row.sum = row.sum * factor + isa().exp(scores, shift, scores, count);
        for (int64_t i = 0; i < at_.valueSize && factor != 1.0F; ++i) {
            row.result[i] *= factor;
        }
    }

    void writeResult(int64_t index, Row& row) const noexcept {
        T* const to = static_cast<T*>(call_.outputs[0]) + at_.output.at(batch_, head_, index);
        float const factor = row.sum == 0.0F ? at_.withoutKeys : 1.0F / row.sum;
        for (int64_t i = 0; i < at_.valueSize; ++i) {
            row.result[i] *= factor;
        }
        if (at_.output.channel == 1) {
            fromFloats(row.result, to, at_.valueSize);
            return;
        }
        for (int64_t i = 0; i < at_.valueSize; ++i) {
            to[i * at_.output.channel] = store<T>(row.result[i]);
        }
    }

    AttentionWorkload const& at_;
    target::KernelCall const& call_;
    int64_t batch_;
    int64_t head_;

    Row rows_[kFewQueries];
    alignas(64) float scores_[kFewQueries][kMostKeys];
    alignas(64) float copies_[kMostCopies];
};

} // namespace

template <typename T>
void attendFew(AttentionWorkload const& at, target::KernelCall const& call, int64_t batch,
               int64_t head) noexcept {
    FewQueries<T>(at, call, batch, head).run();
}

template void attendFew<float>(AttentionWorkload const&, target::KernelCall const&, int64_t,
                               int64_t) noexcept;
template void attendFew<Half>(AttentionWorkload const&, target::KernelCall const&, int64_t,
                              int64_t) noexcept;
template void attendFew<BFloat16>(AttentionWorkload const&, target::KernelCall const&, int64_t,
                                  int64_t) noexcept;

} // namespace kiln::targets::cpu
