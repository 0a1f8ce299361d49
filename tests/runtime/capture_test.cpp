// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/capture.h"

#include <gmock/gmock.h>

#include "base/error_matchers.h"
#include "target/backend_registry.h"

namespace kiln::runtime {
namespace {

using test::errorOf;
using testing::HasSubstr;

using Query = CaptureState::Query;

target::StreamHandle otherStream() {
    static int stream = 0;
    return reinterpret_cast<target::StreamHandle>(&stream);
}

TEST(CaptureState, IsAskedForAsOftenAsNeeded) {
    CaptureState never(Query::kNever);
    CaptureState always(Query::kEachRun);
    for (CaptureState* const state : {&never, &always}) {
        state->ask(*target::BackendRegistry::instance().open("cpu").device(), nullptr);
        EXPECT_FALSE(state->recording());
        state->endRun();
    }
    EXPECT_FALSE(never.due(nullptr));
    EXPECT_TRUE(always.due(nullptr));
}

TEST(CaptureState, IsSkippedByRunsThatFollowEachOther) {
    CaptureState state(Query::kAfterPause);
    EXPECT_TRUE(state.due(nullptr));
    state.ask(*target::BackendRegistry::instance().open("cpu").device(), nullptr);
    EXPECT_TRUE(state.due(nullptr)); // the run has not ended
    bool skipped = false;
    for (int i = 0; i < 1000 && !skipped; ++i) { // the machine may pause this thread
        state.endRun();
        skipped = !state.due(nullptr);
    }
    EXPECT_TRUE(skipped);
    EXPECT_TRUE(state.due(otherStream()));
}

TEST(CaptureState, OfAPluginThatBreaksItIsExplained) {
    EXPECT_THAT(errorOf(ErrorKind::kPlugin, [] { failRecording(true, "no"); }),
                HasSubstr("no\nThe stream is being captured: there a plugin may only put work"));
    EXPECT_EQ(errorOf(ErrorKind::kDevice, [] { failRecording(false, "no"); }), "no");
}

} // namespace
} // namespace kiln::runtime
