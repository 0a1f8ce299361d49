// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/code/host_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_matchers.h"
#include "plugin/code/code_samples.h"

namespace kiln::plugin {
namespace {

using test::errorOf;
using testing::HasSubstr;

std::string problemOf(uint16_t machine, uint16_t type) {
    Bytes const bytes = test::sampleSharedObject({"f"}, machine, type);
    return errorOf(ErrorKind::kInvalidArgument, [&] { inspectHostObject(ElfFile(bytes)); });
}

TEST(HostObject, ReadsItsExportedFunctions) {
    Bytes const bytes = test::sampleSharedObject({"add", "mul"});
    CodeInfo const info = inspectHostObject(ElfFile(bytes));
    EXPECT_EQ(info.kind, CodeKind::kHostObject);
    EXPECT_EQ(info.architecture, "x86-64");
    ASSERT_EQ(info.entries.size(), 2U) << "neither what it imports nor its data";
    EXPECT_EQ(info.entries[0].name, "add");
    EXPECT_EQ(info.entries[1].name, "mul");
}

TEST(HostObject, OfAnotherProcessor) {
    Bytes const bytes = test::sampleSharedObject({"add"}, ElfFile::kMachineArm);
    EXPECT_EQ(inspectHostObject(ElfFile(bytes)).architecture, "aarch64");
    EXPECT_THAT(problemOf(8, 3), HasSubstr("expected an ELF file for x86-64 (62), aarch64 (183) or "
                                           "CUDA (190), got machine 8"));
}

TEST(HostObject, OfAnotherKind) {
    EXPECT_THAT(problemOf(62, 1), HasSubstr("expected a shared object, got a relocatable object. "
                                            "Link it with cc -shared"));
    EXPECT_THAT(problemOf(62, 2), HasSubstr("(ELF type 3), got ELF type 2"));
}

TEST(HostObject, ThisProcessHasAnArchitecture) {
    EXPECT_FALSE(hostArchitecture().empty());
}

} // namespace
} // namespace kiln::plugin
