// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/read_weights.h"

namespace kiln::compiler {
namespace {

thread_local ReadWeights* innermost = nullptr;

} // namespace

ReadWeights::ReadWeights() noexcept : outer_(innermost) {
    innermost = this;
}

ReadWeights::~ReadWeights() {
    innermost = outer_;
}

void ReadWeights::note(target::Recipe const& recipe) {
    if (innermost == nullptr) {
        return; // no one asks
    }
    for (std::string_view const name : target::sourceNames(recipe)) {
        for (ReadWeights* reader = innermost; reader != nullptr; reader = reader->outer_) {
            reader->names_.emplace(name);
        }
    }
}

} // namespace kiln::compiler
