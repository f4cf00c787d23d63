"""One call: options, strata, quota, deal, column."""
