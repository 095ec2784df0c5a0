"""The command line: arguments become values, and results become text and an exit code.

Only this package prints, reads the environment, and exits. ``main`` is the one place where what a command
returns or raises becomes an exit code; ``program`` finds a command's module and imports it when it runs, so
that ``--version`` waits for nothing. A command (``commands/``) is a function of one value, its arguments.
These are declared once, in groups that commands share (``args/``, by ``args/declare``). It makes a question
of them, asks the packages below, and gives the answer to ``output``, which writes each document whole or
not at all.

Imports are most of a short run. What not every command needs is imported by the function that needs it.
"""
