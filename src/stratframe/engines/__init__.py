"""The same verbs on frames of Dask and Spark, which are larger than one machine.

`base` defines an engine, and `counts` what it returns. One pass of the engine counts the rows that
are alike. `counted` turns the counts into strata, quotas and cuts, and the engine finds the numbers
on both sides of each cut. A last pass, row by row, adds the column. `engine_source` puts the steps
together.
"""
