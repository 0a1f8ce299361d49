// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin library that registers one creator of each style when it is loaded. It has a unique
// symbol, as most libraries with templates have, so that the loader never unloads it.
#include "support/empty_creator.h"

__attribute__((visibility("default"))) inline int& uniqueCounter() {
    static int counter = 0;
    return counter;
}

namespace {

struct StaticV2Creator : kiln::test::EmptyV2Creator {
    StaticV2Creator() : EmptyV2Creator("StaticV2", "3") { ++uniqueCounter(); }
};
struct StaticV3Creator : kiln::test::EmptyV3Creator {
    StaticV3Creator() : EmptyV3Creator("StaticV3", "1", "library") {}
};

REGISTER_TENSORRT_PLUGIN(StaticV2Creator);
REGISTER_TENSORRT_PLUGIN(StaticV3Creator);

} // namespace
