"""What stratframe must reach; run with `pytest tests/benchmarks`."""
