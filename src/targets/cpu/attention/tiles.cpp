// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Scores of a block of keys are [keys][kTileColumns], with one query in each column, and the
// results so far are [channels][kTileColumns]. So both products take the keys and the values as
// their left operand, in which any strides cost nothing, and only the queries and the results are
// transposed.
#include "targets/cpu/attention/tiles.h"

#include "targets/cpu/attention/operands.h"

namespace kiln::targets::cpu {
namespace {

void transposeFloats(float const* from, int64_t fromRow, float* to, int64_t toRow, int64_t rows,
                     int64_t columns) noexcept {
    isa().transpose32(reinterpret_cast<uint32_t const*>(from), fromRow,
                      reinterpret_cast<uint32_t*>(to), toRow, rows, columns);
}

template <typename T>
class QueryTile {
public:
    QueryTile(AttentionWorkload const& at, target::KernelCall const& call, DenseHead const& dense,
              int64_t batch, int64_t head, int64_t first, int64_t count) noexcept
        : at_(at), call_(call), dense_(dense), batch_(batch), head_(head), first_(first),
          count_(count) {}

    void run() noexcept {
        readQueries();
        std::fill_n(maxima_, kTileColumns, -std::numeric_limits<float>::infinity());
        std::fill_n(sums_, kTileColumns, 0.0F);
        std::fill_n(results_, at_.valueSize * kTileColumns, 0.0F);
        int64_t const end = at_.keysOf(first_ + count_ - 1);
        int64_t const step = keysOfBlock(at_);
        for (int64_t key = 0; key < end; key += step) {
            addKeys(key, std::min(step, end - key));
        }
        for (int64_t i = 0; i < count_; ++i) {
            sums_[i] = sums_[i] == 0.0F ? at_.withoutKeys : 1.0F / sums_[i];
        }
        isa().scaleColumns(at_.valueSize, count_, sums_, results_);
        writeResults();
    }

private:
    /// The queries times the scale, transposed. Columns without a query are 0.
    void readQueries() noexcept {
        T const* const from = operandAt<T>(call_, 0, at_.query, batch_, head_, first_);
        int64_t const size = at_.size;
        for (int64_t channel = 0; channel < size && count_ < kTileColumns; ++channel) {
            std::fill(queries_ + channel * kTileColumns + count_,
                      queries_ + (channel + 1) * kTileColumns, 0.0F);
        }
        if (at_.query.length == 1) {
            for (int64_t channel = 0; channel < size; ++channel) {
                toFloats(from + channel * at_.query.channel, queries_ + channel * kTileColumns,
                         count_);
            }
        } else {
            FloatRows const rows = readRows(from, at_.query, count_, size, copies_);
            transposeFloats(rows.data, rows.rowStep, queries_, kTileColumns, count_, size);
        }
        auto const linear = isa().maps[static_cast<std::size_t>(MapFunction::kLinear)];
        linear(queries_, queries_, size * kTileColumns, at_.scale, 0.0F);
    }

    FloatRows readKeys(int64_t key, int64_t count) noexcept {
        if (dense_.keys != nullptr) {
            return {dense_.keys + key * at_.size, at_.size, 1};
        }
        T const* const from = operandAt<T>(call_, 1, at_.key, batch_, head_ / at_.group, key);
        return readRows(from, at_.key, count, at_.size, copies_);
    }

    FloatRows readValues(int64_t key, int64_t count) noexcept {
        if (dense_.values != nullptr) {
            return {dense_.values + key * at_.valueSize, at_.valueSize, 1};
        }
        T const* const from = operandAt<T>(call_, 2, at_.value, batch_, head_ / at_.group, key);
        return readRows(from, at_.value, count, at_.valueSize, copies_);
    }

    void addKeys(int64_t key, int64_t count) noexcept {
        FloatRows const keys = readKeys(key, count);
        isa().stridedProduct[0](count, count_, at_.size, keys.data, keys.rowStep, keys.channelStep,
                                queries_, scores_);
        if (at_.mask != AttentionWorkload::Mask::kNone) {
            addMask(key, count);
        }
        hideLaterKeys(key, count);
        float factors[kTileColumns];
        isa().softmaxStep(count, count_, scores_, maxima_, sums_, factors);
        if (key > 0) {
            isa().scaleColumns(at_.valueSize, count_, factors, results_);
        }
        FloatRows const values = readValues(key, count);
        isa().stridedProduct[1](at_.valueSize, count_, count, values.data, values.channelStep,
                                values.rowStep, scores_, results_);
    }

    void addMask(int64_t key, int64_t count) noexcept {
        auto const& strides = at_.maskStrides;
        int64_t const place = batch_ * strides.batch + head_ * strides.head +
                              first_ * strides.query + key * strides.key;
        float* const rows = copies_; // [queries][keys]
        if (strides.query == 0) {
            readMask<T>(at_, call_.inputs[3], place, count, rows);
            isa().addToRows(count, count_, rows, scores_);
            return;
        }
        for (int64_t i = 0; i < count_; ++i) {
            readMask<T>(at_, call_.inputs[3], place + i * strides.query, count,
                        rows + i * kMostKeys);
        }
        float* const columns = copies_ + kTileColumns * kMostKeys; // [keys][queries]
        transposeFloats(rows, kMostKeys, columns, kTileColumns, count_, count);
        auto const add = isa().combines[static_cast<std::size_t>(CombineFunction::kSum)][0];
        for (int64_t i = 0; i < count; ++i) {
            float* const row = scores_ + i * kTileColumns;
            add(row, columns + i * kTileColumns, row, count_);
        }
    }

    /// The causal rule: query i sees the keys up to i + diagonal.
    void hideLaterKeys(int64_t key, int64_t count) noexcept {
        for (int64_t i = 0; i < count && at_.isCausal; ++i) {
            int64_t const hidden =
                std::clamp<int64_t>(key + i - at_.diagonal - first_, 0, kTileColumns);
            std::fill_n(scores_ + i * kTileColumns, hidden,
                        -std::numeric_limits<float>::infinity());
        }
    }

    void writeResults() noexcept {
        T* const to = static_cast<T*>(call_.outputs[0]) + at_.output.at(batch_, head_, first_);
        int64_t const size = at_.valueSize;
        if (at_.output.length == 1) {
            for (int64_t channel = 0; channel < size; ++channel) {
                fromFloats(results_ + channel * kTileColumns, to + channel * at_.output.channel,
                           count_);
            }
            return;
        }
        if constexpr (std::is_same_v<T, float>) {
            transposeFloats(results_, kTileColumns, to, at_.output.length, size, count_);
        } else {
            transposeFloats(results_, kTileColumns, copies_, size, size, count_);
            for (int64_t i = 0; i < count_; ++i) {
                fromFloats(copies_ + i * size, to + i * at_.output.length, size);
            }
        }
    }

    AttentionWorkload const& at_;
    target::KernelCall const& call_;
    DenseHead const& dense_;
    int64_t batch_;
    int64_t head_;
    int64_t first_;
    int64_t count_;

    alignas(64) float maxima_[kTileColumns];
    alignas(64) float sums_[kTileColumns];
    alignas(64) float queries_[kLargestHead * kTileColumns];
    alignas(64) float results_[kLargestHead * kTileColumns];
    alignas(64) float scores_[kMostKeys * kTileColumns];
    /// Operands in float32, or the mask of a block, twice.
    alignas(64) float copies_[kMostCopies];
    static_assert(kMostCopies >= 2 * kMostKeys * kTileColumns);
    static_assert(kMostCopies >= kTileColumns * kLargestHead);
};

} // namespace

template <typename T>
void attendTile(AttentionWorkload const& at, target::KernelCall const& call, DenseHead const& dense,
                int64_t batch, int64_t head, int64_t first, int64_t count) noexcept {
    QueryTile<T>(at, call, dense, batch, head, first, count).run();
}

template void attendTile<float>(AttentionWorkload const&, target::KernelCall const&,
                                DenseHead const&, int64_t, int64_t, int64_t, int64_t) noexcept;
template void attendTile<Half>(AttentionWorkload const&, target::KernelCall const&,
                               DenseHead const&, int64_t, int64_t, int64_t, int64_t) noexcept;
template void attendTile<BFloat16>(AttentionWorkload const&, target::KernelCall const&,
                                   DenseHead const&, int64_t, int64_t, int64_t, int64_t) noexcept;

} // namespace kiln::targets::cpu
