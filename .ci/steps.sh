# shellcheck shell=bash
# The steps that .ci/run and .ci/full share; both source this file. What differs is the tier:
# "run" leaves out the tests that are marked "full", and its random inputs are the same in every run.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
reports=.cache/ci
current=

# Begin a tier: run or full.
begin() {
  tier=$1
  mkdir -p "$reports/passed"
  trap 'echo "=== $tier: failed in: $current (${SECONDS}s)" >&2' ERR
}

# Name the step that begins here.
step() {
  current=$1
  printf '\n=== %s (%ss)\n' "$current" "$SECONDS"
}

# Begin the whole run of a commit, or go on with it: a step that passed on this very commit is not run again.
resume() {
  local run seed
  seed=$(cut -d' ' -f2 "$reports/run" 2>/dev/null) || seed=$((RANDOM << 15 | RANDOM))
  run="$(git rev-parse HEAD) ${RANDOM_SEED:-$seed}"
  if [ ! -e .venv/bin/python ] || [ "$(cat "$reports/run" 2>/dev/null)" != "$run" ]; then rm -rf .venv "$reports"; fi
  begin full
  echo "$run" >"$reports/run"
  export RANDOM_SEED=${run#* }
}

# Run every one of these steps even if some fail; fail at the end, naming them.
each() {
  local one status failed=()
  for one; do
    [ ! -e "$reports/passed/$one" ] || continue
    # In a condition bash would ignore what fails inside: the status is taken behind it.
    set +e
    (
      set -e
      "$one"
    )
    status=$?
    set -e
    if [ $status = 0 ]; then touch "$reports/passed/$one"; else failed+=("$one"); fi
  done
  current=${failed[*]}
  [ ${#failed[@]} = 0 ]
}

# Run steps next to each other, each of which is one process that waits much; what they print comes one after the other.
# Fail at the end, naming those that failed.
together() {
  local one pid pids=() failed=()
  trap 'kill 0' INT # a shell starts others so that they do not hear it
  for one; do
    (
      set -e
      "$one"
    ) >"$reports/$one.log" 2>&1 &
    pids+=("$one $!")
  done
  for one in "${pids[@]}"; do
    pid=${one#* } one=${one% *}
    wait "$pid" || failed+=("$one")
    cat "$reports/$one.log"
  done
  trap - INT
  current=${failed[*]}
  [ ${#failed[@]} = 0 ]
}

finish() {
  printf '\n=== %s: done (%ss)\n' "$tier" "$SECONDS"
}

# Fail when a suite ran fewer tests than .ci/counts.json says, or skipped any; record a whole run that passed.
counted() {
  python3 .ci/check_counts.py "$tier" "$1" "$reports/$1.xml"
  [ "$tier" = run ] || python3 .ci/evidence.py record "$1" "$reports/$1.xml" "$RANDOM_SEED"
}

# Run one suite by its marker, with more arguments for pytest, which reads the files that have the marker and no others.
suite() {
  local name=$1 marks=$1 files
  shift
  [ "$tier" = full ] || marks="$name and not full"
  mapfile -t files < <(grep -rlw "mark\.$name" tests --include="test_*.py")
  .venv/bin/pytest -m "$marks" --junitxml="$reports/$name.xml" "$@" "${files[@]}"
  counted "$name"
}

evidence() {
  step "evidence of the last whole runs"
  python3 .ci/evidence.py check
  python3 .ci/evidence.py fresh || echo "before a release, .ci/full has to make these rows again"
}

readme() {
  step "set up, run the main job, the next commands and the quick start, in one shell, as README and guide say"
  bash -euo pipefail -c "$(python3 .ci/readme_command.py setup first quick-start)"
  rm runbook.md # the quick start writes it
}

tools() {
  step "set up for tests"
  python3 -m venv --upgrade-deps .venv
  # as in the README: compiling 1 GB ahead takes longer than all else; what runs is compiled when it is imported
  .venv/bin/pip install --quiet --no-compile --editable '.[dev]'
}

python_tests() {
  step "Python tests, as the README says"
  local options="--numprocesses auto --dist worksteal --junitxml=$reports/python.xml"
  if [ "$tier" = run ]; then
    PYTEST_ADDOPTS=$options bash -euo pipefail -c "$(python3 .ci/readme_command.py test)"
    counted python
    return
  fi
  # With the engine's coverage. Tracing takes twice as long: only the engine is measured, and only by the tests
  # that traced.txt names.
  local engine marks
  engine=$(sed -e 's:/:.:g' -e 's:\.\*$::' -e 's:\.py$::' .ci/engine.txt | paste -sd,)
  marks=$(sed -n 's/^    "\(not .*\) and not full",$/\1/p' pyproject.toml)
  printf '[run]\nbranch = true\nsource_pkgs = %s\n' "$engine" >"$reports/coverage.ini"
  TRACED_TESTS=$(paste -sd' ' .ci/traced.txt) \
    PYTEST_ADDOPTS="$options --cov --cov-config=$PWD/$reports/coverage.ini --cov-report= -m '$marks'" \
    bash -euo pipefail -c "$(python3 .ci/readme_command.py test)"
  .venv/bin/coverage report --fail-under=100 --include="$(paste -sd, .ci/engine.txt)"
  counted python
}

pythons() {
  step "the Python tests on each other Python that is promised"
  packages debootstrap
  .ci/pythons
}

slow_tests() {
  step "Python tests that start processes, or measure time, memory or growth"
  suite slow --numprocesses auto --dist worksteal
}

lint() {
  step "lint and types"
  .venv/bin/ruff check
  .venv/bin/ruff format --check
  .venv/bin/mypy
  test -z "$(gofmt -l scripts)"
}

data() {
  step "golden data, by the installed command from another directory; sample and benchmarks; tests/test_docs.py has the pages"
  (root=$PWD && cd / && "$root/.venv/bin/hashcompat" verify "$root/golden/containers")
  .venv/bin/python scripts/regenerate.py --check sample performance
}

oracles() {
  step "Go oracles"
  # Of a slice, the tests build what they ask.
  [ "$tier" = run ] || .venv/bin/python scripts/build.py containertypes podtypes featuregates kubeletflags containers staticpods checkpoints room kubeadm values yamllibs
  suite oracle --numprocesses auto
}

fuzzing() {
  step "fuzzing"
  keep_readers fuzz
  suite fuzz --numprocesses 2 --maxschedchunk 1
}

fuzzing_files() {
  step "fuzzing what reads containers and files with pods"
  keep_readers fuzzfiles
  suite fuzzfiles --numprocesses 2 --maxschedchunk 1
}

# Each half takes up to an hour: what the readers showed is kept, even if another one fails or the run breaks off.
keep_readers() {
  # shellcheck disable=SC2064 # the paths of now
  [ "$tier" = run ] || trap "python3 .ci/evidence.py parts '$reports/$1.xml' '$RANDOM_SEED'" EXIT
}

fast_path() {
  step "pods that are nearly replicas: planned together, and each alone"
  suite fastpath --numprocesses 2 --maxschedchunk 1
}

go_code() {
  step "Go code, and what Go's own programs say of the workflows"
  local module PATH=$PWD/.venv/bin:$PATH
  for module in golden/common golden/values golden/yamllibs schemas/containertypes schemas/podtypes schemas/featuregates schemas/kubeletflags; do
    vet "$module" go.mod ./...
  done
  for module in golden/containers golden/staticpods; do
    vet "$module" "$(.venv/bin/python -m scripts.modules write "$module" 1.36)" .
  done
  # of the workflows, the scripts in them included: shellcheck, which came with the tests, reads those
  go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 -no-color
  sed 's/<owner>/owner/; s/<commit>/main/' examples/github/workflow.yml | go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 -no-color -
  shellcheck examples/normalize/*.sh
  # of the plays, Ansible's own linter, which is large
  [ "$tier" = run ] || { packages ansible-lint && ansible-lint --offline -q examples/ansible/gate.yml examples/normalize/play.yml; }
}

# Vet a module below scripts, built as the programs are, so that what they compiled serves here too.
vet() {
  (cd "scripts/$1" && GOFLAGS="-buildvcs=false -trimpath" GOWORK=off CGO_ENABLED=0 go vet -modfile="$2" "$3")
}

runtimes() {
  step "real container runtimes: Docker and containerd"
  packages docker.io containerd runc busybox-static python3 prometheus prometheus-pushgateway curl strace rpm ruby rubocop lintian
  # Of a slice, the tests build what they start.
  [ "$tier" = run ] || .venv/bin/python scripts/build.py containerd
  suite runtime
}

attacks() {
  step "attacks: what tenants, pull requests and working directories try"
  packages containerd runc busybox-static
  suite attack --numprocesses 2 --dist loadgroup
}

shells() {
  step "completion in real shells"
  packages zsh fish
  suite shell --numprocesses 2
}

browser() {
  step "HTML reports in a real browser"
  packages chromium fonts-liberation
  suite browser --numprocesses 2 --dist loadgroup
}

# Install the packages of Debian that are not there yet; steps next to each other do so in turn.
packages() {
  local package missing=()
  for package in "$@"; do
    dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
  done
  [ ${#missing[@]} -ne 0 ] || return 0
  (
    flock 9
    apt-get update --quiet
    apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "${missing[@]}"
  ) 9>"$reports/apt.lock"
}

fleets() {
  step "fleets: real Dask schedulers and workers, an S3 server, and what kills or spoils them"
  suite fleet
}

patches() {
  step "emitted patches: applied to Kubernetes' own source, built, compared with real Go"
  suite patch
}

server() {
  step "a real API server: built, started, read"
  .venv/bin/python scripts/build.py servers
  [ "$tier" = run ] || .venv/bin/python scripts/build.py collectors
  suite server
}

reality() {
  step "real kubelets, one after the other on one node"
  packages docker.io containerd runc busybox-static gcc libc6-dev
  .venv/bin/python scripts/build.py kubelets servers crictl
  suite reality
}

starting() {
  step "real kubelets that refuse or kill what runs when they start"
  packages runc busybox-static gcc libc6-dev libseccomp-dev pkg-config
  .venv/bin/python scripts/build.py kubelets servers crictl
  suite starting
}

ending() {
  step "real kubelets that end or wait when they start"
  packages containerd runc busybox-static gcc libc6-dev libseccomp-dev pkg-config uidmap systemd dbus
  .venv/bin/python scripts/build.py kubelets servers crictl
  suite ending
}

normalized() {
  step "real kubelets with rewritten records between them, on Docker and containerd, with and without an API server"
  packages docker.io containerd runc busybox-static gcc libc6-dev
  .venv/bin/python scripts/build.py standalone kubelets servers crictl
  suite normalized
}

standalone() {
  step "real kubelets of every age, on Docker and without an API server"
  packages docker.io containerd runc busybox-static gcc libc6-dev
  .venv/bin/python scripts/build.py standalone servers crictl
  suite standalone
}

large() {
  step "files of up to 1 GB in little memory"
  suite large --numprocesses 2 --maxschedchunk 1
}

benches() {
  step "benchmarks: plan next to Go and to other commands, starts and memory; the others for the record"
  .venv/bin/python -m scripts.bench.plans --rounds 3 --check
  .venv/bin/python -m scripts.bench.commands --pods 1500 --check
  .venv/bin/python -m scripts.bench.starting --check
  .venv/bin/python -m scripts.bench.memory --check
  .venv/bin/python -m scripts.bench.hashing --rounds 1 --containers 2000
  .venv/bin/python -m scripts.bench.files --bytes 2e7
  .venv/bin/python -m scripts.bench.start_times --pods 5000
}
