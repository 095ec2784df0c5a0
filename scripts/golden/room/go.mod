// Only the root of the module: a build names the file of a release, which `python -m scripts.modules write` makes
module hashcompat.io/room

go 1.21
