# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys
from pathlib import Path

import one_registry
import pytest


@pytest.mark.parametrize("way", one_registry.WAYS)
def test_a_plugin_registered_in_any_way_is_in_the_one_registry(way, tmp_path):
    """Each way runs in its own process, because libraries stay loaded."""
    script = Path(one_registry.__file__)
    result = subprocess.run(
        [sys.executable, str(script), way, str(tmp_path)], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert f"one registry: {way}" in result.stdout
