#!/bin/sh
# Install this copy of hashcompat into a virtual environment of its own, for a pipeline:
#
#   sh /path/to/this/repository/deploy/install.sh "$RUNNER_TEMP/hashcompat"
#
# The directory is made anew. It belongs outside the checkout that the pipeline is about, because whoever writes a pull request
# writes that. Nothing here reads the working directory: not Python, not pip, and no relative entry of the PATH. Every package
# comes as a wheel whose hash stands in deploy/locks, the build backend included. pip reads the machine's configuration and the
# variables PIP_*, such as PIP_INDEX_URL, but no file in the home directory, which in a container is often the checkout.
set -eu

if [ $# -ne 1 ] || [ "${1#/}" = "$1" ]; then
    echo "usage: install.sh DIRECTORY, by its absolute path" >&2
    exit 64
fi
if [ -L "$1" ] || { [ -e "$1" ] && [ ! -f "$1/pyvenv.cfg" ]; }; then
    echo "$1: exists and is no virtual environment; name another directory" >&2
    exit 1
fi
unset CDPATH
case $0 in
*/*) cd -- "${0%/*}/.." ;;
*) cd .. ;; # found by a shell in its own directory
esac
source=$(pwd -P)
cd /
path=
set -f
IFS=:
for entry in $PATH; do
    case $entry in
    /*) path=$path${path:+:}$entry ;;
    esac
done
unset IFS
set +f
PATH=$path

# Whoever owns the directory, as of a name in /tmp that others knew before, could exchange what is installed.
mkdir -p -- "${1%/*}/"
if ! mkdir -- "$1" 2>/dev/null && { [ -L "$1" ] || ! [ -O "$1" ]; }; then
    echo "$1: belongs to another user; name another directory" >&2
    exit 1
fi

for name in $(env | sed -n 's/^\(PYTHON[A-Z]*\)=.*/\1/p'); do
    unset "$name"
done
# For the processes that pip starts, which have no -I: no working directory and no packages of the user.
export PYTHONSAFEPATH=1 PYTHONNOUSERSITE=1 PIP_DISABLE_PIP_VERSION_CHECK=1

python3 -I -m venv --clear "$1"
python=$1/bin/python
export HOME="$1" XDG_CONFIG_HOME="$1"
"$python" -I -m pip install --quiet --no-compile --require-hashes --only-binary=:all: \
    --requirement "$source/deploy/locks/run.txt" --requirement "$source/deploy/locks/build.txt"
"$python" -I -m pip install --quiet --no-compile --no-index --no-deps --no-build-isolation "$source"
