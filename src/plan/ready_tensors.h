// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "plan/document.h"

namespace kiln::plan {

/// The tensors that exist while the steps of a plan are checked in order, and from where they can
/// be read: a body reads its own tensors, its inputs and views of their memory, constants and host
/// tensors.
class ReadyTensors {
public:
    /// The steps outside of all bodies, or a body.
    struct Scope {
        int32_t number = 0;
        std::set<TensorId> inputs = {};
        std::set<TensorId> memories = {}; ///< the tensors whose memory the inputs use
    };

    /// checkTensors() must have passed.
    explicit ReadyTensors(Document const& document);

    bool inRange(TensorId tensor) const { return ready_.has(tensor); }
    bool canRead(TensorId tensor, Scope const& scope) const;
    /// Whether no step has written the tensor yet, and it is not an input or in one.
    bool canWrite(TensorId tensor) const;
    void write(TensorId tensor, Scope const& scope);
    /// The first tensor that does not exist; none if all do.
    TensorId firstMissing() const;
    /// The tensor whose memory a tensor uses.
    TensorId rootOf(TensorId tensor) const;

private:
    static constexpr int32_t kEverywhere = -1;

    void findViews();
    bool isVisible(TensorId tensor, Scope const& scope) const;

    Document const& document_;
    Table<TensorId, bool> ready_;
    Table<TensorId, bool> isView_;
    Table<TensorId, int32_t> home_;                ///< number of the scope that wrote a tensor
    Table<TensorId, std::vector<TensorId>> views_; ///< by the tensor whose memory they use
};

} // namespace kiln::plan
