// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// scatter with a reduction: two launches. The first copies the data, the second combines the
// updates with the copy. With KILN_ATOMIC, a thread takes an update and repeats a comparison and
// exchange, so the order of updates, and the rounding of their sum, may differ from run to run.
// With KILN_ADDS, a thread adds a word of 16 bytes at once where all parts are aligned words.
// Single bytes have no such instruction: there, each thread owns some elements of the data and
// reads all updates. Indices as in scatter.cuh. Macros: KILN_ELEMENT, KILN_INDEX, KILN_FUNCTION (of
// elementwise_functions.cuh), KILN_ATOMIC, KILN_ADDS (a sum of floating-point numbers) and
// KILN_ELEMENTWISE (0 or 1).
#include "copied_elements.cuh"
#include "elementwise_functions.cuh"
#include "indexed_axes.cuh"
#include "threads.cuh"

typedef KILN_ELEMENT Element;
typedef KILN_INDEX Given;

struct Arguments {
    int64_t count;  ///< elements of the data
    int64_t size;   ///< of the updates
    int64_t owners; ///< threads that share the elements of the data
    FastDivide inner;
    IndexedAxes indexed;
    FastDivide innerWords; ///< 0 as divisor: parts are not whole words
    int64_t narrow;        ///< 1: all positions fit 32 bits
};

__device__ inline Element combined(Element x, Element y) {
    return elementOf<Element>(KILN_FUNCTION::of(numberOf(x), numberOf(y)));
}

KILN_KERNEL void copy_data(Element const* data, Given const*, Element const*, Element* to,
                           Arguments arguments) {
    copyElements(data, to, arguments.count);
}

/// Where an update goes; -1: nowhere.
template <typename Index>
__device__ inline Index placeOf(Index position, Given const* indices, Arguments const& arguments) {
    Index offset = 0;
#if KILN_ELEMENTWISE
    arguments.indexed.keepCoordinates(position, offset);
    bool const inside = arguments.indexed.take<Index>(indices[position], 0, offset);
#else
    Index const part = arguments.inner.quotient(position);
    Index const first = part * static_cast<Index>(arguments.indexed.tuple);
    bool const inside = arguments.indexed.follow<Index>(indices, first, 0, offset);
    offset += position - part * static_cast<Index>(arguments.inner.divisor);
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

template <typename Index>
__device__ inline void combineEach(Given const* indices, Element const* updates, Element* to,
                                   Arguments const& arguments) {
    for (int64_t i = threadIndex(); i < arguments.size; i += threadCount()) {
        Index const at = placeOf(static_cast<Index>(i), indices, arguments);
        if (at >= 0) {
            combineAt(to + at, updates[i]);
        }
    }
}
#endif

#if KILN_ADDS
/// Adds a word of numbers at once, on GPUs that can.
__device__ inline void addWord(Element* to, Word const& word) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    uint64_t const at = __cvta_generic_to_global(to);
    if constexpr (sizeof(Element) == 4) {
        asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
                     :
                     : "l"(at), "f"(__uint_as_float(word.at[0])), "f"(__uint_as_float(word.at[1])),
                       "f"(__uint_as_float(word.at[2])), "f"(__uint_as_float(word.at[3]))
                     : "memory");
    } else {
        asm volatile("red.global.add.noftz.v4." KILN_PAIR " [%0], {%1, %2, %3, %4};"
                     :
                     : "l"(at), "r"(word.at[0]), "r"(word.at[1]), "r"(word.at[2]), "r"(word.at[3])
                     : "memory");
    }
#else
    constexpr int kPerWord = static_cast<int>(16 / sizeof(Element));
    auto const& pack = *reinterpret_cast<Pack<Element, kPerWord> const*>(&word);
#pragma unroll
    for (int i = 0; i < kPerWord; ++i) {
        combineAt(to + i, pack.at[i]);
    }
#endif
}

/// Parts of whole aligned words; all positions fit 32 bits.
__device__ inline void addWords(Given const* indices, Element const* updates, Element* to,
                                Arguments const& arguments) {
    constexpr int kPerWord = static_cast<int>(16 / sizeof(Element));
    int32_t const inner = static_cast<int32_t>(arguments.innerWords.divisor);
    for (int64_t i = threadIndex(); i < arguments.size / kPerWord; i += threadCount()) {
        int32_t const word = static_cast<int32_t>(i);
        int32_t const part = arguments.innerWords.quotient(word);
        int32_t offset = 0;
        if (arguments.indexed.follow<int32_t>(indices, part * arguments.indexed.tuple, 0, offset)) {
            addWord(to + offset + (word - part * inner) * kPerWord,
                    reinterpret_cast<Word const*>(updates)[word]);
        }
    }
}
#endif

KILN_KERNEL void combine_updates(Element const*, Given const* indices, Element const* updates,
                                 Element* to, KILN_IN_PLACE Arguments arguments) {
#if KILN_ATOMIC
#if KILN_ADDS
    if (arguments.innerWords.divisor != 0 && isAligned16(updates) && isAligned16(to)) {
        addWords(indices, updates, to, arguments);
        return;
    }
#endif
    if (arguments.narrow != 0) {
        combineEach<int32_t>(indices, updates, to, arguments);
    } else {
        combineEach<int64_t>(indices, updates, to, arguments);
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
