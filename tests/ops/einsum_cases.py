# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Einsum: products of matrices and by element, sums, transpositions, several axes, ellipses."""

import numpy as np
from bfloat16 import bfloat16_case
from case import Case


def _case(name, equation, shapes, types=(np.float32, np.float16), atol=1e-5, formula=None):
    def build(network, x, _):
        return network.add_einsum(x, equation).get_output(0)

    def expected(x):
        return np.asarray(np.einsum(formula or equation, *x))

    return Case(name, shapes, build, expected, types=types, atol=atol)


def _two(left, right, *others):
    return [(left, right), *others]


CASES = [
    # One input.
    _case("transpose", "ij->ji", [((3, 5),), ((4, 2),)]),
    _case("same", "ij->ij", [((3, 5),)]),
    _case("sum", "ij->", [((3, 5),), ((4, 2),)]),
    _case("sum_rows", "ijk->kj", [((3, 5, 4),), ((2, 3, 4),)]),
    _case("implicit_order", "ba", [((3, 5),)]),
    _case("ellipsis_transpose", "...ij->...ji", [((2, 3, 4, 5),), ((1, 7, 2, 2),)]),
    _case("ellipsis_sum", "i...->...", [((3, 5, 2),)]),
    _case("rank_0", "->", [((),)]),
    # Products of matrices.
    _case("matrices", "ij,jk->ik", _two((3, 5), (5, 4), ((2, 7), (7, 3)))),
    _case("matrices_implicit", " ij , jk ", _two((3, 5), (5, 4))),
    _case("result_transposed", "ij,jk->ki", _two((3, 5), (5, 4), ((2, 7), (7, 3)))),
    _case("both_transposed", "ji,kj->ik", _two((5, 3), (4, 5))),
    _case("dot", "i,i->", _two((7,), (7,), ((3,), (3,)))),
    _case("matrix_vector", "ij,j->i", _two((3, 5), (5,), ((2, 7), (7,)))),
    _case("vector_matrix", "j,jk->k", _two((5,), (5, 3))),
    _case("batch", "bij,bjk->bik", _two((2, 3, 5), (2, 5, 4), ((3, 2, 1), (3, 1, 2)))),
    _case("batch_vectors", "bi,bi->b", _two((2, 3), (2, 3), ((3, 2), (3, 2)))),
    _case("batch_inside", "ibj,bjk->ibk", _two((3, 2, 5), (2, 5, 4), ((2, 3, 1), (3, 1, 2)))),
    _case("attention_scores", "bqhd,bkhd->bhqk",
          _two((2, 3, 4, 5), (2, 6, 4, 5), ((1, 2, 4, 5), (1, 3, 4, 5)))),
    _case("attention_values", "bhqk,bkhd->bqhd",
          _two((2, 4, 3, 6), (2, 6, 4, 5), ((1, 4, 2, 3), (1, 3, 4, 5)))),
    _case("several_axes", "abcd,cdef->abef",
          _two((2, 3, 4, 5), (4, 5, 2, 3), ((3, 2, 5, 4), (5, 4, 1, 2)))),
    _case("several_axes_mixed", "abcd,edcf->fbae",
          _two((2, 3, 4, 5), (3, 5, 4, 2), ((3, 2, 5, 4), (1, 4, 5, 2)))),
    _case("heads", "btd,dhe->bthe", _two((2, 3, 4), (4, 2, 5), ((3, 1, 4), (4, 2, 5)))),
    _case("to_nothing", "ij,ij->", _two((3, 5), (3, 5), ((2, 4), (2, 4)))),
    _case("ellipsis", "...ij,...jk->...ik", _two((2, 3, 4, 5), (2, 3, 5, 6))),
    _case("ellipsis_ranks", "...ij,jk->...ik", _two((2, 3, 4, 5), (5, 6))),
    _case("ellipsis_broadcast", "...ij,...jk->...ik", _two((3, 4, 5), (2, 1, 5, 6))),
    # By element.
    _case("elements", "ij,ij->ij", _two((3, 5), (3, 5), ((2, 4), (2, 4)))),
    _case("elements_transposed", "ij,ji->ij", _two((3, 5), (5, 3), ((2, 4), (4, 2)))),
    _case("outer", "i,j->ij", _two((3,), (5,), ((2,), (4,)))),
    _case("outer_implicit", "j,i", _two((3,), (5,))),
    _case("scale_channels", "bchw,bc->bchw", _two((2, 3, 4, 5), (2, 3), ((1, 2, 5, 4), (1, 2)))),
    _case("sum_of_one", "ijk,il->il", _two((2, 3, 4), (2, 5), ((3, 1, 2), (3, 2)))),
    # Extents of 1.
    _case("broadcast_batch", "bij,bjk->bik", _two((1, 3, 5), (2, 5, 4))),
    _case("broadcast_summed", "ij,jk->ik", _two((3, 1), (5, 4))),
    _case("nothing_to_sum", "ij,jk->ik", _two((3, 0), (0, 4))),
    # Several inputs.
    _case("three", "ij,jk,kl->il", [((3, 5), (5, 4), (4, 2)), ((2, 3), (3, 1), (1, 5))]),
    _case("bilinear", "bi,oij,bj->bo", [((2, 3), (5, 3, 4), (2, 4))]),
    _case("four", "a,ab,bc,c->", [((3,), (3, 4), (4, 2), (2,))]),
]  # fmt: skip
CASES += [
    bfloat16_case("matrices", [((3, 5), (5, 4)), ((2, 7), (7, 3))],
                  lambda network, x: network.add_einsum(x, "ij,jk->ik"),
                  lambda x: np.einsum("ij,jk->ik", *x), most=20.0),
]  # fmt: skip
