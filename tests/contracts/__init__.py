"""What every adapter of a port promises: one suite a port, which each adapter's tests inherit."""

import pytest

pytest.register_assert_rewrite("tests.contracts.recorder", "tests.contracts.read_tables")
