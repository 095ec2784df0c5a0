"""Results as documents, tables and pages (``report``), and how ``-o`` prints each (``formats``)."""
