// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// scatter with a reduction: two launches. The first copies the data, the second combines the
// updates with the copy. With KILN_ATOMIC, a thread takes an update and repeats a comparison and
// exchange, so the order of updates, and the rounding of their sum, may differ from run to run.
// Single bytes have no such instruction: there, each thread owns some elements of the data and
// reads all updates. Indices as in scatter.cuh. Macros: KILN_ELEMENT, KILN_INDEX, KILN_FUNCTION (of
// elementwise_functions.cuh), KILN_ATOMIC and KILN_ELEMENTWISE (0 or 1).
#include "elementwise_functions.cuh"
#include "indexed_axes.cuh"

typedef KILN_ELEMENT Element;
typedef KILN_INDEX Given;

struct Arguments {
    int64_t count;  ///< elements of the data
    int64_t size;   ///< of the updates
    int64_t owners; ///< threads that share the elements of the data
    FastDivide inner;
    IndexedAxes indexed;
};

__device__ inline Element combined(Element x, Element y) {
    return elementOf<Element>(KILN_FUNCTION::of(numberOf(x), numberOf(y)));
}

KILN_KERNEL void copy_data(Element const* data, Given const*, Element const*, Element* to,
                           Arguments arguments) {
    if (data != to) {
        for (int64_t i = threadIndex(); i < arguments.count; i += threadCount()) {
            to[i] = data[i];
        }
    }
}

/// Where an update goes; -1: nowhere.
__device__ inline int64_t placeOf(int64_t position, Given const* indices,
                                  Arguments const& arguments) {
    int64_t offset = 0;
#if KILN_ELEMENTWISE
    arguments.indexed.keepCoordinates(position, offset);
    bool const inside = arguments.indexed.take<int64_t>(indices[position], 0, offset);
#else
    int64_t const part = arguments.inner.quotient(position);
    int64_t const first = part * arguments.indexed.tuple;
    bool const inside = arguments.indexed.follow<int64_t>(indices, first, 0, offset);
    offset += position - part * arguments.inner.divisor;
#endif
    return inside ? offset : -1;
}

#if KILN_ATOMIC
/// The unsigned type that atomicCAS() takes.
template <int kBytes>
struct Exchanged;
template <>
struct Exchanged<2> {
    typedef unsigned short Type;
};
template <>
struct Exchanged<4> {
    typedef unsigned int Type;
};
template <>
struct Exchanged<8> {
    typedef unsigned long long Type;
};

template <typename To, typename From>
__device__ inline To bitsAs(From value) {
    union {
        From from;
        To to;
    } both;
    both.from = value;
    return both.to;
}

__device__ inline void combineAt(Element* at, Element update) {
    typedef Exchanged<sizeof(Element)>::Type Word;
    auto* const word = reinterpret_cast<Word*>(at);
    Word before = *word;
    for (;;) {
        Element const old = bitsAs<Element>(before);
        Word const wanted = bitsAs<Word>(combined(old, update));
        if (wanted == before) {
            return;
        }
        Word const found = atomicCAS(word, before, wanted);
        if (found == before) {
            return;
        }
        before = found;
    }
}
#endif

KILN_KERNEL void combine_updates(Element const*, Given const* indices, Element const* updates,
                                 Element* to, KILN_IN_PLACE Arguments arguments) {
#if KILN_ATOMIC
    for (int64_t i = threadIndex(); i < arguments.size; i += threadCount()) {
        if (int64_t const at = placeOf(i, indices, arguments); at >= 0) {
            combineAt(to + at, updates[i]);
        }
    }
#else
    int64_t const owner = threadIndex();
    if (owner >= arguments.owners) {
        return;
    }
    for (int64_t i = 0; i < arguments.size; ++i) {
        int64_t const at = placeOf(i, indices, arguments);
        if (at >= 0 && at % arguments.owners == owner) {
            to[at] = combined(to[at], updates[i]);
        }
    }
#endif
}
