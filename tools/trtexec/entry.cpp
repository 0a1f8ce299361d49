// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "trtexec.h"

namespace {

std::vector<std::string> arguments(int argc, char** argv) {
    return {argv + (argc > 0 ? 1 : 0), argv + argc};
}

} // namespace

int kilnTrtexecMain(int argc, char** argv) {
    return kiln::trtexec::runTrtexec(arguments(argc, argv), nullptr);
}

int kilnTrtexecHosted(int argc, char** argv, KilnTrtexecPython const* python) {
    return kiln::trtexec::runTrtexec(arguments(argc, argv), python);
}
