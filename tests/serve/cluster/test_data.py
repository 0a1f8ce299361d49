# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E402
"""The predictor over data sets of Ray Data."""

import numpy as np
import pytest

data = pytest.importorskip("ray.data", reason="scripts/setup.sh serve installs it")

import kiln.serve


@pytest.fixture(autouse=True)
def quiet(two_nodes):
    context = data.DataContext.get_current()
    context.enable_progress_bars = False
    yield
    context.checkpoint_config = None


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A folder of Parquet files with the columns x, 4 numbers, and id."""
    import pyarrow
    import pyarrow.parquet

    folder = tmp_path_factory.mktemp("rows")
    for part in range(4):
        ids = np.arange(part * 500, (part + 1) * 500)
        x = np.repeat(ids[:, None], 4, 1).astype(np.float32) + np.arange(4, dtype=np.float32)
        columns = {"id": pyarrow.array(ids), "x": pyarrow.array(list(x))}
        pyarrow.parquet.write_table(pyarrow.table(columns), folder / f"{part}.parquet")
    return folder


def predicted(rows, plans, keep=True, actors=1, **options):
    return rows.map_batches(
        kiln.serve.Predictor,
        fn_constructor_kwargs={"plan": f"{plans}/three.plan", "keep": keep},
        batch_size=100,
        compute=data.ActorPoolStrategy(size=actors),
        num_cpus=0.5,
        **options,
    )


def test_tables_of_arrow(table, plans):
    rows = predicted(data.read_parquet(str(table)), plans, batch_format="pyarrow").take_all()
    assert sorted(row["id"] for row in rows) == list(range(2000))
    for row in rows:
        np.testing.assert_array_equal(row["y"], 3 * np.asarray(row["x"], np.float32))


def test_a_data_set_larger_than_the_object_store(plans):
    def made(batch):
        ids = batch["id"]
        x = np.repeat(ids[:, None], 4, 1).astype(np.float32)
        return {"x": x, "ballast": np.zeros((len(ids), 16 << 10))}  # 128 KiB a row

    rows = data.range(3200, override_num_blocks=32).map_batches(made)  # 400 MiB; the store: 200
    result = predicted(rows, plans, keep=False, actors=2)
    total = sum(batch["y"].sum(dtype=np.float64) for batch in result.iter_batches())
    assert total == 3 * 4 * sum(range(3200))


def test_an_interrupted_job_goes_on(table, plans, tmp_path):
    """The first job sees half of the files, as if it had been stopped; the second one all."""
    from ray.data.checkpoint import CheckpointConfig

    data.DataContext.get_current().checkpoint_config = CheckpointConfig(
        id_column="id", checkpoint_path=str(tmp_path / "done"), delete_checkpoint_on_success=False
    )
    files = sorted(map(str, table.iterdir()))
    written = []
    for part in (files[:2], files):
        out = tmp_path / f"out{len(part)}"
        predicted(data.read_parquet(part), plans).write_parquet(str(out))
        written.append({row["id"] for row in rows_of(out)})
    assert written == [set(range(1000)), set(range(1000, 2000))]


def rows_of(folder):
    import pyarrow.parquet

    return pyarrow.parquet.read_table(folder).to_pylist()
