// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The structs of DLPack 1.1, with which array libraries exchange memory. Source: the published C
// ABI (dmlc.github.io/dlpack); the layout is fixed, so DLPack's header is not needed.
#pragma once

#include <cstdint>

namespace kiln::python::dlpack {

enum DeviceType : int32_t { kCpu = 1, kCuda = 2 };

enum TypeCode : uint8_t {
    kInt = 0,
    kUInt = 1,
    kFloat = 2,
    kBfloat = 4,
    kBool = 6,
    kFloat8E4m3fn = 10,
    kFloat8E8m0 = 14,
};

struct Device {
    int32_t type;
    int32_t id;
};

struct DataType {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
};

struct Tensor {
    void* data;
    Device device;
    int32_t rank;
    DataType type;
    int64_t* shape;
    int64_t* strides; // in elements
    uint64_t byteOffset;
};

/// What a capsule named "dltensor" holds.
struct Managed {
    Tensor tensor;
    void* context;
    void (*deleter)(Managed*);
};

constexpr uint64_t kReadOnly = 1;

/// What a capsule named "dltensor_versioned" holds.
struct Versioned {
    uint32_t major;
    uint32_t minor;
    void* context;
    void (*deleter)(Versioned*);
    uint64_t flags;
    Tensor tensor;
};

static_assert(sizeof(Tensor) == 48 && sizeof(Managed) == 64 && sizeof(Versioned) == 80);

} // namespace kiln::python::dlpack
