// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Stream readers and writers for plans.
#pragma once

#include "kiln/api/cuda_types.h"
#include "kiln/api/versioned_interface.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! The reference point of the offset of IStreamReaderV2::seek().
enum class SeekPosition : int32_t {
    kSET = 0, //!< The beginning of the stream.
    kCUR = 1, //!< The current position.
    kEND = 2, //!< The end of the stream; offsets are then 0 or negative.
};

template <>
constexpr int32_t EnumMax<SeekPosition>() noexcept {
    return 3;
}

namespace v_1_0 {

//! Reads a plan sequentially. Implemented by the user. Superseded by IStreamReaderV2.
//!
//! Called on the thread that loads the engine, and not after that call has returned.
class IStreamReader : public IVersionedInterface {
public:
    ~IStreamReader() noexcept override = default;
    constexpr IStreamReader() = default;

    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"IStreamReader", 1, 0};
    }

    //! Reads the next bytes.
    //!
    //! \param destination nbBytes bytes of host memory.
    //!
    //! \return The number of bytes read: less than nbBytes only at the end of the stream. A
    //!     negative number or an exception indicates an error; the engine is then not loaded.
    virtual int64_t read(void* destination, int64_t nbBytes) = 0;

protected:
    constexpr IStreamReader(IStreamReader const&) = default;
    constexpr IStreamReader(IStreamReader&&) = default;
    IStreamReader& operator=(IStreamReader const&) & = default;
    IStreamReader& operator=(IStreamReader&&) & = default;
};

//! Reads a plan, with random access. Implemented by the user. Kiln reads sequentially.
//!
//! Called on the thread that loads the engine, and not after that call has returned.
class IStreamReaderV2 : public IVersionedInterface {
public:
    ~IStreamReaderV2() noexcept override = default;
    constexpr IStreamReaderV2() = default;

    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"IStreamReaderV2", 1, 0};
    }

    //! Reads the next bytes.
    //!
    //! \param destination nbBytes bytes of host memory. The API also allows device memory; Kiln
    //!     does not use it.
    //! \param stream stream for copies to device memory. Kiln passes null.
    //!
    //! \return The number of bytes read: less than nbBytes only at the end of the stream. A
    //!     negative number indicates an error; the engine is then not loaded.
    virtual int64_t read(void* destination, int64_t nbBytes, cudaStream_t stream) noexcept = 0;

    //! Sets the position. Kiln does not call it.
    //!
    //! \param offset bytes, relative to `where`.
    //!
    //! \return false if the new position is outside the stream; the position is then unchanged.
    virtual bool seek(int64_t offset, SeekPosition where) noexcept = 0;

protected:
    constexpr IStreamReaderV2(IStreamReaderV2 const&) = default;
    constexpr IStreamReaderV2(IStreamReaderV2&&) = default;
    IStreamReaderV2& operator=(IStreamReaderV2 const&) & = default;
    IStreamReaderV2& operator=(IStreamReaderV2&&) & = default;
};

//! Writes a plan sequentially. Implemented by the user.
//!
//! Called on the thread that builds the engine, and not after that call has returned.
class IStreamWriter : public IVersionedInterface {
public:
    ~IStreamWriter() noexcept override = default;
    constexpr IStreamWriter() = default;

    InterfaceInfo getInterfaceInfo() const noexcept final {
        return InterfaceInfo{"IStreamWriter", 1, 0};
    }

    //! Writes the next bytes.
    //!
    //! \param data nbBytes bytes of host memory, valid during the call only.
    //!
    //! \return The number of bytes written. Any number except nbBytes, or an exception, fails the
    //!     build.
    virtual int64_t write(void const* data, int64_t nbBytes) = 0;

protected:
    constexpr IStreamWriter(IStreamWriter const&) = default;
    constexpr IStreamWriter(IStreamWriter&&) = default;
    IStreamWriter& operator=(IStreamWriter const&) & = default;
    IStreamWriter& operator=(IStreamWriter&&) & = default;
};

} // namespace v_1_0

using IStreamReader = v_1_0::IStreamReader;
using IStreamReaderV2 = v_1_0::IStreamReaderV2;
using IStreamWriter = v_1_0::IStreamWriter;

} // namespace nvinfer1

#pragma GCC visibility pop
