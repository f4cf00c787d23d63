"""The command line, which adds folds to files and judges the folds of files.

- `interrupt`: end the command if the user presses Ctrl-C while modules are imported
- `streams`: write to standard output and standard error
- `parser`: the commands, their options, and the errors for other words
- `values`: turn the texts of options into the arguments of verbs
- `inputs`: read files as the frames of a verb
- `layout`: lay out tables as lines of text
- `make`: add a column to a file
- `judge`: judge the columns of files
- `example`: add folds to data of scikit-learn, and show the results

Nothing is imported here, because `interrupt` must come before all large modules.
"""
