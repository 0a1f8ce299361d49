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
        std::set<int32_t> inputs = {};
        std::set<int32_t> memories = {}; ///< the tensors whose memory the inputs use
    };

    /// checkTensors() must have passed.
    explicit ReadyTensors(Document const& document);

    bool inRange(int32_t tensor) const {
        return tensor >= 0 && static_cast<std::size_t>(tensor) < ready_.size();
    }
    bool canRead(int32_t tensor, Scope const& scope) const;
    /// Whether no step has written the tensor yet, and it is not an input or in one.
    bool canWrite(int32_t tensor) const;
    void write(int32_t tensor, Scope const& scope);
    /// The first tensor that does not exist; -1 if all do.
    int32_t firstMissing() const;
    /// The tensor whose memory a tensor uses.
    int32_t rootOf(int32_t tensor) const;

private:
    static constexpr int32_t kEverywhere = -1;

    void findViews();
    bool isVisible(int32_t tensor, Scope const& scope) const;

    Document const& document_;
    std::vector<bool> ready_;
    std::vector<bool> isView_;
    std::vector<int32_t> home_;               ///< number of the scope that wrote a tensor
    std::vector<std::vector<int32_t>> views_; ///< by the tensor whose memory they use
};

} // namespace kiln::plan
