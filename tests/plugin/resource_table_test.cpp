// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/resource_table.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <kiln/plugin_error.h>

#include "base/error.h"
#include "base/without_code.h"

namespace kiln::plugin {
namespace {

using testing::HasSubstr;

/// Counts the resources that refer to it and sets their behaviour.
struct Manner {
    std::atomic<int> alive{0};
    std::atomic<int> clones{0};
    std::atomic<int> released{0};
    int32_t code = 0;
    bool clonesNothing = false;
    bool clonesItself = false;
    bool raises = false;
    ResourceTable* nested = nullptr; ///< clone() acquires "inner" there
};

class Resource final : public nvinfer1::IPluginResource {
public:
    explicit Resource(Manner& manner) : manner_(manner) { ++manner_.alive; }
    ~Resource() noexcept override { --manner_.alive; }
    int32_t release() noexcept override {
        ++manner_.released;
        if (manner_.raises) {
            kilnReportPluginError("ValueError: release");
        }
        return manner_.code;
    }
    IPluginResource* clone() noexcept override {
        ++manner_.clones;
        if (manner_.raises) {
            kilnReportPluginError("ValueError: clone");
        }
        if (manner_.nested != nullptr) {
            manner_.nested->acquire("inner", nullptr);
        }
        return manner_.clonesNothing  ? nullptr
               : manner_.clonesItself ? this
                                      : new Resource(manner_);
    }

private:
    Manner& manner_;
};

std::string acquireError(ResourceTable& table, std::string const& key, Resource* resource,
                         ErrorKind kind) {
    try {
        table.acquire(key, resource);
    } catch (Error const& error) {
        EXPECT_EQ(error.kind(), kind);
        return test::withoutCode(error.what());
    }
    return {};
}

TEST(ResourceTable, IsClonedOnceCountedAndReleasedByTheLast) {
    ResourceTable table;
    Manner manner;
    Resource mine(manner);
    nvinfer1::IPluginResource* const kept = table.acquire("table", &mine);
    ASSERT_NE(kept, nullptr);
    EXPECT_NE(kept, &mine) << "a clone is kept";
    EXPECT_EQ(table.acquire("table", &mine), kept);
    EXPECT_EQ(table.acquire("table", nullptr), kept) << "the key is known";
    EXPECT_EQ(manner.clones, 1);
    EXPECT_EQ(table.release("table").code, 0);
    EXPECT_EQ(table.release("table").code, 0);
    EXPECT_EQ(manner.released, 0);
    EXPECT_EQ(table.release("table").code, 0);
    EXPECT_EQ(manner.released, 1);
    EXPECT_EQ(manner.alive, 1) << "mine";
    EXPECT_EQ(table.release("table").problem,
              "[registry] plugin resource to release: expected the key of one that is in use, got "
              "'table'.");
    EXPECT_NE(table.acquire("table", &mine), nullptr) << "the key is free again";
    table.release("table");
}

TEST(ResourceTable, NewKeysNeedAResource) {
    ResourceTable table;
    Manner manner;
    Resource mine(manner);
    EXPECT_EQ(acquireError(table, "unknown", nullptr, ErrorKind::kInvalidArgument),
              "[registry] plugin resource 'unknown': expected a resource for a new key, got null. "
              "Pass the object to clone.");
    EXPECT_EQ(acquireError(table, "", &mine, ErrorKind::kInvalidArgument),
              "[registry] plugin resource: expected a key, got an empty text or null.");
}

TEST(ResourceTable, ClonesThatFail) {
    ResourceTable table;
    Manner manner;
    Resource mine(manner);
    manner.clonesNothing = true;
    EXPECT_EQ(acquireError(table, "key", &mine, ErrorKind::kPlugin),
              "[registry] plugin resource 'key', clone: expected a new object, returned null.");
    manner.raises = true;
    EXPECT_THAT(acquireError(table, "key", &mine, ErrorKind::kPlugin),
                HasSubstr("returned null.\nValueError: clone"));
    manner.clonesNothing = false;
    EXPECT_EQ(acquireError(table, "key", &mine, ErrorKind::kPlugin),
              "[registry] plugin resource 'key', clone: raised an error\nValueError: clone");
    EXPECT_EQ(manner.alive, 1) << "the clone that came with an error is gone";
    manner.raises = false;
    manner.clonesItself = true;
    EXPECT_THAT(acquireError(table, "key", &mine, ErrorKind::kPlugin),
                HasSubstr("clone: expected a new object, returned the object itself. Return a "
                          "copy."));
    EXPECT_EQ(manner.alive, 1);
    EXPECT_EQ(table.release("key").code, -1) << "nothing was kept";
}

TEST(ResourceTable, ReleasesThatFail) {
    ResourceTable table;
    Manner manner;
    Resource mine(manner);
    table.acquire("key", &mine);
    manner.code = 5;
    ResourceTable::Released released = table.release("key");
    EXPECT_EQ(released.code, 5);
    EXPECT_EQ(released.problem,
              "[registry] plugin resource 'key', release: expected 0, returned 5");
    EXPECT_EQ(manner.alive, 1) << "deleted all the same";
    manner.code = 0;
    table.acquire("key", &mine);
    manner.raises = true;
    released = table.release("key");
    EXPECT_EQ(released.code, -1);
    EXPECT_EQ(released.problem,
              "[registry] plugin resource 'key', release: raised an error\nValueError: release");
}

TEST(ResourceTable, WhatIsLeftGoesWithTheTable) {
    Manner manner;
    Resource mine(manner);
    {
        ResourceTable table;
        table.acquire("one", &mine);
        table.acquire("two", &mine);
    }
    EXPECT_EQ(manner.released, 2);
    EXPECT_EQ(manner.alive, 1);
}

TEST(ResourceTable, AResourceMayUseAnother) {
    ResourceTable table;
    Manner inner;
    Resource base(inner);
    table.acquire("inner", &base);
    Manner outer;
    outer.nested = &table;
    Resource mine(outer);
    EXPECT_NE(table.acquire("outer", &mine), nullptr);
}

// In any order of calls, every clone is released and destroyed.
TEST(ResourceTable, ManyThreads) {
    ResourceTable table;
    Manner manner;
    Resource mine(manner);
    auto const work = [&] {
        for (int i = 0; i < 500; ++i) {
            ASSERT_NE(table.acquire("shared", &mine), nullptr);
            ASSERT_EQ(table.release("shared").code, 0);
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back(work);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(manner.alive, 1);
    EXPECT_EQ(manner.clones, manner.released);
}

} // namespace
} // namespace kiln::plugin
