"""The command line: arguments, wiring, printing. The only place that prints or exits."""
