"""What an API server does to a pod: an upgrade of the server alone can change hashes, and so restart pods.

A pod with a uid has been through one, and is taken as it is. A manifest has not: ``created.py`` makes of it
what a server of some release would store, step by step in JSON. Some defaults are set again whenever a server
reads a pod that an older one stored, which ``on_read.py`` has. Rows of the catalog decide which of these a
release does; nothing here knows a release.
"""
