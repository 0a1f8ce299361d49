// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes with a fixed number of dimensions. Each derives from Dims. Unused extents are 0, so that
// objects can be compared bytewise.
#pragma once

#include "kiln/api/dims.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Two extents.
class Dims2 : public Dims {
public:
    //! [0, 0].
    Dims2() : Dims2(0, 0) {}

    //! [d0, d1].
    Dims2(int64_t d0, int64_t d1) {
        nbDims = 2;
        d[0] = d0;
        d[1] = d1;
        for (int32_t i = 2; i < MAX_DIMS; ++i) {
            d[i] = 0;
        }
    }
};

//! Two spatial extents: height, then width.
class DimsHW : public Dims2 {
public:
    //! [0, 0].
    DimsHW() = default;

    //! [height, width].
    DimsHW(int64_t height, int64_t width) : Dims2(height, width) {}

    //! The height.
    int64_t& h() { return d[0]; }
    int64_t h() const { return d[0]; }

    //! The width.
    int64_t& w() { return d[1]; }
    int64_t w() const { return d[1]; }
};

//! Three extents.
class Dims3 : public Dims2 {
public:
    //! [0, 0, 0].
    Dims3() : Dims3(0, 0, 0) {}

    //! [d0, d1, d2].
    Dims3(int64_t d0, int64_t d1, int64_t d2) : Dims2(d0, d1) {
        nbDims = 3;
        d[2] = d2;
    }
};

//! Four extents.
class Dims4 : public Dims3 {
public:
    //! [0, 0, 0, 0].
    Dims4() : Dims4(0, 0, 0, 0) {}

    //! [d0, d1, d2, d3].
    Dims4(int64_t d0, int64_t d1, int64_t d2, int64_t d3) : Dims3(d0, d1, d2) {
        nbDims = 4;
        d[3] = d3;
    }
};

} // namespace nvinfer1

#pragma GCC visibility pop
