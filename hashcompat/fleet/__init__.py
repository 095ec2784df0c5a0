"""One answer over many clusters: a file of each cluster in, tables of names and counts out.

1. ``store`` lists the files of a source, local or behind a URL, and the ``key`` of each says what its rows
   depend on: the file, the program, the release data, what is asked.
2. ``engines`` hands the files whose rows are not there yet to processes, here or on other machines. A
   process that dies is another row, never a missing one.
3. ``parts``: one file becomes the rows of one cluster (``cluster``), and these are written whole or not at
   all. Which engine did that, how often and in which order decides nothing.
4. ``run`` settles what only all parts together show, has them merged into the ``tables`` (``parquet``), and
   writes ``run.json`` last.

Tables hold names and counts. No value of a container is in any of them.
"""
