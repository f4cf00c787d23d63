"""The same verbs on frames of Dask and Spark, which are larger than one machine.

`base` says what an engine is. A pass of it counts the rows that are alike, `counted` makes strata
and their quotas of the counts, `cuts` turns the quotas into cut points of the numbers of rows,
and one elementwise pass of the engine adds the column: `source` puts these together.
"""
