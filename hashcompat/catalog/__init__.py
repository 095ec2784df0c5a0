"""The release data as typed rows: release -> schema, era and behaviour. Only here are releases compared."""
