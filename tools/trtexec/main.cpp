// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "trtexec.h"

int main(int argc, char** argv) {
    return kilnTrtexecMain(argc, argv);
}
