#!/bin/sh
# Ask several tools about one upgrade, keep what each wrote, and decide once.
#
#   readiness.sh 1.31 cluster.json reports
#
# hashcompat     which containers the new kubelet restarts; reads the dump
# upgradescope   APIs that are removed and add-ons past their end; reads the live cluster
# kubepreflight  webhooks, budgets and versions that do not fit; reads the live cluster
#
# The directory gets hashcompat.sarif, upgradescope.sarif and kubepreflight.json, and decisions.txt with a line for each tool:
# its name, go, stop or undecided, and its exit code. A tool that is not installed is left out, except hashcompat. What may
# restart is the policy of HASHCOMPAT_GATE_*; see docs/gate.md. No settings file of the working directory is read.
#
# Exit codes: 0 all say go, 2 one says stop, 3 one is undecided or failed, 64 usage error.
set -eu

if [ $# -ne 3 ]; then
    echo "usage: readiness.sh RELEASE DUMP DIRECTORY" >&2
    exit 64
fi
to=$1 dump=$2 reports=$3
export HASHCOMPAT_CONFIG="${HASHCOMPAT_CONFIG:-none}"
mkdir -p "$reports"
: >"$reports/decisions.txt"
worst=0

# Run a tool: its name, the exit codes that mean go, that which means stop, and the command. Any other code decides nothing.
ask() {
    name=$1 go=$2 stop=$3
    shift 3
    code=0
    "$@" || code=$?
    case " $go " in
    *" $code "*) decision=go ;;
    *)
        if [ "$code" -eq "$stop" ]; then
            decision=stop worst=2
        else
            decision=undecided
            [ "$worst" -eq 2 ] || worst=3
        fi
        ;;
    esac
    echo "$name $decision $code" | tee -a "$reports/decisions.txt"
}

ask hashcompat 0 2 hashcompat gate --to "$to" -f "$dump" --quiet -o name \
    --report "sarif=$reports/hashcompat.sarif" --report "json=$reports/hashcompat.json"

if command -v upgradescope >/dev/null; then
    # shellcheck disable=SC2317,SC2329 # ask calls it
    scan() {
        upgradescope scan --target "$to" --output sarif --fail-on blocker >"$reports/upgradescope.sarif"
    }
    ask upgradescope 0 2 scan
fi
if command -v kubepreflight >/dev/null; then
    # 1 is a warning: a person looks at it, and the upgrade may go on
    ask kubepreflight "0 1" 2 kubepreflight scan --target-version "$to" --output json --terminal-output silent \
        --serve-report never --findings-out "$reports/kubepreflight.json"
fi
exit "$worst"
