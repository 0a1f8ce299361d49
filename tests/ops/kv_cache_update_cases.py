# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Updates of KV caches: padded and packed, with lengths, beyond both ends of the cache."""

import numpy as np
import tensorrt as trt
from bfloat16 import bfloat16_case
from case import Case


def _formula(x, packed=False):
    cache, update, starts = x[:3]
    result = cache.copy()
    for b, start in enumerate(starts):
        if packed:
            rows = update[x[3][b] : x[3][b + 1]].transpose(1, 0, 2)
        else:
            rows = update[b, :, : x[3][b] if len(x) > 3 else None]
        for i in range(rows.shape[1]):
            if 0 <= start + i < cache.shape[2]:
                result[b, :, start + i] = rows[:, i]
    return result


def _layer(network, x, packed):
    layer = network.add_kv_cache_update(x[0], x[1], x[2], trt.KVCacheMode.LINEAR)
    if packed:
        layer.update_form = trt.AttentionIOForm.PACKED_NHD
    if len(x) > 3:
        layer.update_lengths = x[3]
    return layer


def _case(name, shapes, starts, packed=False, lengths=None, index=np.int32, **options):
    others = {2: (index, 0, 0)} | ({3: (index, 0, 0)} if lengths else {})
    values = {2: starts} | ({3: lengths} if lengths else {})
    options["any_address"] = all(0 not in shape for shape in shapes[0])
    return Case(
        name, shapes, lambda network, x, _: _layer(network, x, packed).get_output(0),
        lambda x: _formula(x, packed), others=others, values=values, **options,
    )  # fmt: skip


CACHE = (2, 3, 8, 4)
CASES = [
    _case("padded", [(CACHE, (2, 3, 2, 4), (2,)), (CACHE, (2, 3, 5, 4), (2,))], [1, 3]),
    _case("padded_int64", [(CACHE, (2, 3, 2, 4), (2,))], [6, 0], index=np.int64),
    _case("beyond_the_ends", [(CACHE, (2, 3, 4, 4), (2,))], [6, -2]),
    _case("far_outside", [(CACHE, (2, 3, 4, 4), (2,))], [2**62, -(2**62)], index=np.int64),
    _case("lengths", [(CACHE, (2, 3, 4, 4), (2,), (2,))], [1, 2], lengths=[3, 0]),
    _case("packed", [(CACHE, (5, 3, 4), (2,), (3,)), (CACHE, (9, 3, 4), (2,), (3,))], [1, 3],
          packed=True, lengths=[0, 2, 5]),
    _case("packed_empty_sequence", [((3, 1, 4, 5), (3, 1, 5), (3,), (4,))], [0, 1, 2], packed=True,
          lengths=[0, 2, 2, 3], index=np.int64),
    _case("one_token", [((4, 2, 16, 8), (4, 2, 1, 8), (4,))], [0, 15, 7, 3]),
    _case("rows_of_words", [((1, 2, 8, 16), (1, 2, 3, 16), (1,))], [4]),
    _case("no_rows", [(CACHE, (2, 3, 0, 4), (2,))], [1, 3]),
    _case("empty_cache", [((2, 3, 0, 4), (2, 3, 2, 4), (2,))], [0, 0]),
    _case("no_batch", [((0, 3, 4, 4), (0, 3, 2, 4), (0,))], [0]),
]  # fmt: skip


def _in_bfloat16(network, x):
    starts = network.add_cast(x[2], trt.int32).get_output(0)
    return _layer(network, [x[0], x[1], starts], False)


def _expected(x):
    return _formula([x[0], x[1], x[2].astype(np.int64)])


CASES += [
    bfloat16_case("padded", [(CACHE, (2, 3, 3, 4), (2,))], _in_bfloat16, _expected, low=0.0),
]
