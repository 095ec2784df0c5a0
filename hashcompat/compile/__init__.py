"""Type schema -> functions, built once: decode JSON, print ``%#v`` text, write encoding/json bytes."""
