// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/control_importer.h"

namespace kiln::compiler {

/// Gives the tensors that bodies share other values, and takes them back.
class ControlImporter::Scope {
public:
    Scope(Known& known, std::vector<graph::Tensor*> const& tensors) : known_(known) {
        for (graph::Tensor const* tensor : tensors) {
            before_.emplace_back(tensor, known.at(tensor));
        }
    }
    ~Scope() {
        for (auto const& [tensor, value] : before_) {
            known_[tensor] = value;
        }
    }
    Scope(Scope const&) = delete;
    Scope& operator=(Scope const&) = delete;

    std::vector<ValueId> values() const {
        std::vector<ValueId> values;
        for (auto const& [tensor, value] : before_) {
            values.push_back(value);
        }
        return values;
    }
    /// The body sees the tensors as these values.
    void see(std::vector<ValueId> const& values) {
        for (std::size_t i = 0; i < before_.size(); ++i) {
            known_[before_[i].first] = values[i];
        }
    }

private:
    Known& known_;
    std::vector<std::pair<graph::Tensor const*, ValueId>> before_;
};

} // namespace kiln::compiler
