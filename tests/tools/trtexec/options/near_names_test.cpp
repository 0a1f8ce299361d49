// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/near_names.h"

#include <gmock/gmock.h>

namespace kiln::trtexec {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NearNames, AreSortedByDistance) {
    std::vector<std::string> const names{"--minShapes", "--maxShapes", "--shapes", "--onnx"};
    EXPECT_THAT(nearNames("--minShape", names), ElementsAre("--minShapes"));
    EXPECT_THAT(nearNames("--MINSHAPES", names), ElementsAre("--minShapes", "--maxShapes"));
    EXPECT_THAT(nearNames("--quite-another", names), IsEmpty());
}

} // namespace
} // namespace kiln::trtexec
