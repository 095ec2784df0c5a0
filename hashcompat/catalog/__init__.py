"""The loaded release data: release -> schema, era and rules. The only place where releases are compared."""
