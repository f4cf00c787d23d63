"""The same verbs on frames of Dask and Spark, which are larger than one machine.

A pass of the engine counts rows by stratum, `driver` makes strata and their quotas of the counts,
`cut_points` turns the quotas into cut points of the numbers of rows, and one elementwise pass of
the engine adds the column.
"""
