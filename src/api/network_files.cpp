// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Files that weights of a network lie in.
#include <kiln/weight_files.h>

#include "api/network.h"
#include "base/text.h"

namespace kiln::api {

bool NetworkDefinition::watchFile(char const* path) noexcept {
    return reporter_.guard(false, [&] {
        weightFiles_.emplace_back(orEmpty(path));
        return true;
    });
}

void NetworkDefinition::expectUnchangedFiles() const {
    for (FileVersion const& file : weightFiles_) {
        if (file.hasChanged()) {
            fail(ErrorKind::kInvalidState,
                 "[builder] weights in the file '{}': expected the content that was parsed, got a "
                 "changed file. Parse the model again, or change the file after the build.",
                 file.path());
        }
    }
}

} // namespace kiln::api

namespace kiln {

bool watchWeightFile(nvinfer1::INetworkDefinition& network, char const* path) noexcept {
    return static_cast<api::NetworkDefinition&>(network).watchFile(path);
}

} // namespace kiln
