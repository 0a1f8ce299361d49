// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/pattern.h"

namespace kiln::compiler {

/// Generated from the names of the files in patterns/.
void registerAllPatterns(PatternRegistry& registry);

PatternRegistry const& PatternRegistry::instance() {
    static PatternRegistry const registry = [] {
        PatternRegistry filled;
        registerAllPatterns(filled);
        return filled;
    }();
    return registry;
}

void PatternRegistry::add(Pattern pattern) {
    patterns_.push_back(std::move(pattern));
}

} // namespace kiln::compiler
