// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_STREAMS_H
#define KILN_API_STREAMS_H

#include "kiln/api/cuda_types.h"
#include "kiln/api/versioned_interface.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

enum class SeekPosition : int32_t
{
    kSET = 0,
    kCUR = 1,
    kEND = 2,
};

template <>
constexpr int32_t EnumMax<SeekPosition>() noexcept {
    return 3;
}

namespace v_1_0
{
class IStreamReader : public IVersionedInterface
{
public:
    ~IStreamReader() noexcept override = default;
    constexpr IStreamReader() = default;
    InterfaceInfo getInterfaceInfo() const noexcept override
    {
        return InterfaceInfo{"IStreamReader", 1, 0};
    }
    virtual int64_t read(void* destination, int64_t nbBytes) = 0;

protected:
    constexpr IStreamReader(IStreamReader const&) = default;
    constexpr IStreamReader(IStreamReader&&) = default;
    IStreamReader& operator=(IStreamReader const&) & = default;
    IStreamReader& operator=(IStreamReader&&) & = default;
};
} // namespace v_1_0

using IStreamReader = v_1_0::IStreamReader;

namespace v_1_0
{
class IStreamReaderV2 : public IVersionedInterface
{
public:
    ~IStreamReaderV2() noexcept override = default;
    constexpr IStreamReaderV2() = default;
    InterfaceInfo getInterfaceInfo() const noexcept override
    {
        return InterfaceInfo{"IStreamReaderV2", 1, 0};
    }
    virtual int64_t read(void* destination, int64_t nbBytes, cudaStream_t stream) noexcept = 0;
    virtual bool seek(int64_t offset, SeekPosition where) noexcept = 0;

protected:
    constexpr IStreamReaderV2(IStreamReaderV2 const&) = default;
    constexpr IStreamReaderV2(IStreamReaderV2&&) = default;
    IStreamReaderV2& operator=(IStreamReaderV2 const&) & = default;
    IStreamReaderV2& operator=(IStreamReaderV2&&) & = default;
};
} // namespace v_1_0

using IStreamReaderV2 = v_1_0::IStreamReaderV2;

namespace v_1_0
{
class IStreamWriter : public IVersionedInterface
{
public:
    ~IStreamWriter() noexcept override = default;
    constexpr IStreamWriter() = default;
    virtual int64_t write(void const* data, int64_t nbBytes) = 0;
    InterfaceInfo getInterfaceInfo() const noexcept final
    {
        return InterfaceInfo{"IStreamWriter", 1, 0};
    }

protected:
    constexpr IStreamWriter(IStreamWriter const&) = default;
    constexpr IStreamWriter(IStreamWriter&&) = default;
    IStreamWriter& operator=(IStreamWriter const&) & = default;
    IStreamWriter& operator=(IStreamWriter&&) & = default;
};
} // namespace v_1_0

using IStreamWriter = v_1_0::IStreamWriter;

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_STREAMS_H
