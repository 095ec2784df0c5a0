"""What every command prints, recorded before and after a change that must keep it."""
