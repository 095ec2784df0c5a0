"""The documents that commands print, as structs; ``core/model/documents.py`` says what such a struct is."""
