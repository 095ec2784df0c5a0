"""The questions, a room each: what restarts (``planning``), what that disturbs, what may pass, what fails."""
