// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/numpy_file.h"

#include <gmock/gmock.h>

#include "tools/trtexec/failure_text.h"

namespace kiln::trtexec {
namespace {

using nvinfer1::DataType;
using testing::HasSubstr;
using testing::StartsWith;

TEST(NumpyHeader, DescribesTypeAndShape) {
    std::string const header = numpyHeader(DataType::kFLOAT, {2, {3, 4}});
    EXPECT_EQ(header.size() % 64, 0U);
    EXPECT_THAT(header, StartsWith(std::string("\x93NUMPY\x01\x00", 8)));
    EXPECT_EQ(static_cast<size_t>(header[8]) + 10, header.size());
    EXPECT_THAT(header, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (3,4,), }"));
    EXPECT_EQ(header.back(), '\n');
}

TEST(NumpyHeader, HasNoDimensionsForAScalar) {
    EXPECT_THAT(numpyHeader(DataType::kINT64, {0, {}}),
                HasSubstr("'descr': '<i8', 'fortran_order': False, 'shape': ()"));
}

TEST(NumpyHeader, RefusesTypesThatNumpyLacks) {
    EXPECT_EQ(failureText([] { numpyHeader(DataType::kBF16, {1, {1}}); }),
              "[run] expected a type that NumPy has, got BF16. Save the tensor as raw or string");
}

} // namespace
} // namespace kiln::trtexec
