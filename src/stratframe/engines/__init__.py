"""The same verbs on frames of Dask and Spark, which are larger than one machine.

`base` defines an engine. One pass of the engine counts the rows that are alike. `counted` turns the
counts into strata and quotas, and `cuts` turns the quotas into cut points of the numbers of rows. A
last pass, row by row, adds the column. `source` puts these steps together.
"""
