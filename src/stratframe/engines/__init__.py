"""Support for Dask and Spark frames, which may be too large for one machine.

An engine makes a first pass over the frame to count the rows with each combination of values. The
module `counted` computes strata, quotas and cuts from these counts. The engine then finds the row
numbers next to each cut, and a last pass over the rows adds the new column. The module `base` has
the interface of an engine, `counts` has its data types, and `engine_source` runs these steps.
"""
