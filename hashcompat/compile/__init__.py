"""Type schema -> functions, built once per schema: decode JSON, print ``%#v`` text, write encoding/json bytes."""
