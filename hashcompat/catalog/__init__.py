"""The loaded release data: release -> schema, era and behaviour, as typed rows. The only place where releases are compared."""
