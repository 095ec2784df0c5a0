#!/bin/sh
# Reads, on a node without Python, what its container runtime reports about the kubelet's containers, and which resources a kubelet of
# 1.33 or later noted as applied; for preflight also the kubelet's flags, files and state, the runtime's, and the processes.
#
#   sh collect.sh > node1.json      to standard output
#   sh collect.sh DIR               to DIR/<node>.json
#
# The output is a dump, a JSON document per line, for `hashcompat plan --recorded FILE` and `hashcompat preflight --dump FILE`. What cannot be
# read is in it with the reason; exit 0 once it is written. The script only reads, and writes nothing but the file in DIR. Environments,
# arguments and commands of containers, annotations of pods, private keys, tokens and passwords are left out. It needs root, awk, sed and
# tr, and one of crictl, ctr and docker. Every command has a deadline, and so has the whole. Settings, all optional:
#
#   RUNTIME_ENDPOINT=/path/to/cri.sock    where the CRI runtime's socket is, if not at a usual path
#   DOCKER_HOST=unix:///docker.sock       where Docker's is
#   KUBELET_ROOT=/path                    the kubelet's --root-dir, if not a usual one
#   READ_ALSO='/path /path'               more directories in which the kubelet's own files are, see WHERE
#   HOST=/host                            where the node's / is mounted, if not at /: for a container with a shell on a node without one
#   NODE_NAME=name                        the node's name, if not that of the host
#   SECONDS_EACH=10 SECONDS_WHOLE=120     the deadlines
#
# Tenants of the node choose the names and arguments of their processes, what is in their containers' files, and much of what a runtime
# reports. None of that is executed, none leads to a file, and none can be taken for a line of the dump.
# shellcheck disable=SC2016 # the texts in single quotes are scripts of their own
set -u

# Programs come from absolute directories alone; trusted_path looks at these.
directories=$PATH:
# shellcheck disable=SC2123
PATH=
while [ -n "$directories" ]; do
    case $directories in /*) PATH=${PATH:+$PATH:}${directories%%:*} ;; esac
    directories=${directories#*:}
done

WANTED=records
SOCKETS='/run/containerd/containerd.sock /run/crio/crio.sock /run/cri-dockerd.sock /run/k3s/containerd/containerd.sock /run/k0s/containerd.sock /var/snap/microk8s/common/run/containerd.sock'
ROOTS='/var/lib/kubelet /var/lib/k0s/kubelet /var/snap/microk8s/common/var/lib/kubelet'
UNITS='/etc/systemd/system /run/systemd/system /usr/local/lib/systemd/system /usr/lib/systemd/system /lib/systemd/system'
RANCHER='/var/lib/rancher/rke2 /var/lib/rancher/k3s'
PATH=$PATH:/usr/sbin:/sbin:/usr/local/bin:/opt/bin:/var/lib/rancher/rke2/bin:/var/lib/rancher/k3s/data/current/bin:/snap/microk8s/current/bin:/var/lib/k0s/bin
LC_ALL=C
HOST=${HOST:-}
EACH=${SECONDS_EACH:-10}
WHOLE=${SECONDS_WHOLE:-120}
DOCKER_HOST=${DOCKER_HOST:-unix://$HOST/var/run/docker.sock}
export PATH LC_ALL DOCKER_HOST
umask 077

fail() {
    printf 'collect.sh: %s\n' "$1" >&2
    exit 1
}

# 32 hexadecimal digits that nobody can guess.
random() {
    digits=$(od -An -N16 -tx1 /dev/urandom 2>/dev/null | tr -d ' \n')
    if [ ${#digits} -ne 32 ]; then
        digits=
        for _ in 1 2; do
            ! read -r uuid 2>/dev/null </proc/sys/kernel/random/uuid || digits=$digits${uuid%%-*}${uuid##*-}
        done
        [ ${#digits} -lt 32 ] || digits=${digits%"${digits#????????????????????????????????}"}
    fi
    printf '%s' "$digits"
}

# No argument of a process ever holds the mark, because every user of the node can read these: readers find it on /proc/self/fd/9.
unset MARK
MARK=hashcompat-$(random)
[ ${#MARK} -eq 43 ] || fail 'no random numbers: want od and /dev/urandom'
[ -d /proc/self/fd ] || fail '/proc is not mounted'
SETSID=$(command -v setsid || :)
ME=0
while read -r word user _; do
    [ "$word" != Uid: ] || ME=$user
done </proc/self/status

# --- Running a command with a deadline ------------------------------------------------------------------------------------------------

# Prints the seconds since the node started, which no change of its clock moves.
now() {
    if read -r up rest 2>/dev/null </proc/uptime; then
        echo "${up%%.*}"
    else
        date +%s
    fi
}
ENDS=$(($(now) + WHOLE))

# Runs together with a command: says that it is late and ends it, and whatever waits for it, should it not end (state D).
WATCH='
trap "kill \"\$nap\"; exit 0" TERM
sleep "$1" >/dev/null & nap=$!
wait "$nap"
printf "\n%s late %s\n\n" "$MARK" "$1"
kill -9 "-$2" 2>/dev/null
kill -9 "$2"
sleep 1 >/dev/null
kill -9 "$PPID"'

# Runs a command; prints its output, each line after a "|", then a line "=end" with its status and what it complained about, or "=late" or
# "=over". The seds end with the mark, not with the command, which may hold the pipes for ever (an empty line follows, because busybox
# reads one line ahead); and each reader has a pipe to itself, so that complaints never get into the output.
answer() {
    left=$((ENDS - $(now)))
    if [ "$left" -le 0 ]; then
        printf '=over %s\n' "$WHOLE"
        return
    fi
    [ "$left" -lt "${patience:-$EACH}" ] || left=${patience:-$EACH}
    {
        {
            $SETSID "$@" </dev/null 2>&1 >&3 3>&- &
            asked=$!
            MARK=$MARK sh -c "$WATCH" sh "$left" "$asked" </dev/null 2>/dev/null 3>&- &
            watch=$!
            wait "$asked"
            printf '\n%s end %s\n\n' "$MARK" "$?"
            kill "$watch"
        } 2>/dev/null | sed -n -f /proc/self/fd/9 9<<END >&3
/^$MARK /{
G
s/\n/; /g
s/^/\n/
s/$/\n/
p
q
}
H
END
    } 3>&1 | sed -f /proc/self/fd/9 9<<END
s/^$MARK \([el][na]\)/=\1/
t end
s/^/|/
b
:end
q
END
}

# Waits for the longest deadline of a batch alone: the n-th of eight commands captures its own output before it passes on the others'.
stage() {
    mine=
    [ -z "$2" ] || mine=$("$1" "$2")
    cat
    [ -z "$mine" ] || printf '%s\n' "$mine"
}

# What was read, as KIND:PATH, because nothing stands twice in a dump but what a collector reads twice to see whether it changes.
had=' '
is_new() {
    case $had in *" $1:$2 "*) return 1 ;; esac
    had="$had$1:$2 "
}

# Calls a function with each of the other arguments, eight at once.
batches() {
    ask=$1
    shift
    while [ $# -gt 0 ]; do
        stage "$ask" "$1" </dev/null | stage "$ask" "${2:-}" | stage "$ask" "${3:-}" | stage "$ask" "${4:-}" |
            stage "$ask" "${5:-}" | stage "$ask" "${6:-}" | stage "$ask" "${7:-}" | stage "$ask" "${8:-}"
        for step in 1 2 3 4 5 6 7 8; do
            had="$had${1:+file:$1 }"
            shift $(($# > 0))
        done
    done
}

# --- What is shown --------------------------------------------------------------------------------------------------------------------

# Values are shown of what is listed here, if they look as these usually do; elsewhere only truth values, numbers and durations.
# The flags of kubelets of every release, but those with headers, URLs, users and passwords.
FLAGS='address allowed-unsafe-sysctls authorization-mode authentication-token-webhook-cache-ttl
azure-container-registry-config bootstrap-kubeconfig cert-dir cgroup-driver cgroup-root client-ca-file cloud-config
cloud-provider cluster-dns cluster-domain cni-bin-dir cni-cache-dir cni-conf-dir config config-dir
container-log-max-size container-runtime container-runtime-endpoint containerd containerd-namespace cpu-manager-policy
cpu-manager-policy-options docker docker-endpoint docker-root dynamic-config-dir enforce-node-allocatable
eviction-hard eviction-minimum-reclaim eviction-soft eviction-soft-grace-period experimental-allowed-unsafe-sysctls
experimental-bootstrap-kubeconfig experimental-dockershim-root-directory experimental-mounter-path
experimental-qos-reserved feature-gates hairpin-mode healthz-bind-address host-ipc-sources host-network-sources
host-pid-sources hostname-override image-credential-provider-bin-dir image-credential-provider-config
image-service-endpoint init-config-dir kube-api-content-type kube-reserved kube-reserved-cgroup kubeconfig
kubelet-cgroups lock-file log-dir log-file logging-format master-service-namespace memory-manager-policy
network-plugin network-plugin-dir node-ip node-labels non-masquerade-cidr pod-cidr pod-infra-container-image
pod-manifest-path qos-reserved register-with-taints reserved-cpus reserved-memory resolv-conf root-dir runtime-cgroups
seccomp-profile-root stderrthreshold system-cgroups system-reserved system-reserved-cgroup tls-cert-file
tls-cipher-suites tls-min-version tls-private-key-file topology-manager-policy topology-manager-policy-options
topology-manager-scope v version vmodule volume-plugin-dir'
# The fields of KubeletConfiguration in every release, but those with URLs and headers.
FIELDS='address allowPrivileged allowedUnsafeSysctls apiVersion authentication authorization cAdvisorPort cgroupDriver
cgroupRoot cgroupsPerQOS clusterDNS clusterDomain configMapAndSecretChangeDetectionStrategy configTrialDuration
containerLogMaxFiles containerLogMaxSize containerLogMaxWorkers containerLogMonitorInterval containerRuntime
containerRuntimeEndpoint containerized contentType cpuCFSQuota cpuCFSQuotaPeriod cpuManagerPolicy
cpuManagerPolicyOptions cpuManagerReconcilePeriod crashLoopBackOff defaultPodSysctls enableContentionProfiling
enableControllerAttachDetach enableCustomMetrics enableDebugFlagsHandler enableDebuggingHandlers
enableProfilingHandler enableServer enableSystemLogHandler enableSystemLogQuery enforceNodeAllocatable eventBurst
eventRecordQPS evictionHard evictionMaxPodGracePeriod evictionMinimumReclaim evictionPressureTransitionPeriod
evictionSoft evictionSoftGracePeriod exitOnLockContention experimentalCheckNodeCapabilitiesBeforeMount
experimentalKernelMemcgNotification experimentalMounterPath experimentalNodeAllocatableIgnoreEvictionThreshold
experimentalQOSReserved failCgroupV1 failSwapOn featureGates fileCheckFrequency hairpinMode healthzBindAddress
healthzPort hostIPCSources hostNetworkSources hostPIDSources httpCheckFrequency imageGCHighThresholdPercent
imageGCLowThresholdPercent imageMaximumGCAge imageMinimumGCAge imagePullCredentialsVerificationPolicy
imageServiceEndpoint iptablesDropBit iptablesMasqueradeBit keepTerminatedPodVolumes kernelMemcgNotification kind
kubeAPIBurst kubeAPIQPS kubeReserved kubeReservedCgroup kubeletCgroups localStorageCapacityIsolation lockFilePath
logging makeIPTablesUtilChains masterServiceNamespace maxContainerCount maxOpenFiles maxParallelImagePulls
maxPerPodContainerCount maxPods memoryManagerPolicy memoryReservationPolicy memorySwap memoryThrottlingFactor
mergeDefaultEvictionSettings minimumGCAge nodeLabels nodeLeaseDurationSeconds nodeStatusMaxImages
nodeStatusReportFrequency nodeStatusUpdateFrequency nonMasqueradeCIDR oomScoreAdj podCIDR podLogsDir podManifestPath
podPidsLimit podsPerCore port preloadedImagesVerificationAllowlist protectKernelDefaults providerID qosReserved
readOnlyPort registerNode registerSchedulable registerWithTaints registryBurst registryPullQPS remoteImageEndpoint
remoteRuntimeEndpoint reservedMemory reservedSystemCPUs resolvConf rotateCertificates runOnce runtimeCgroups
runtimeRequestTimeout seccompDefault seccompProfileRoot serializeImagePulls serverTLSBootstrap
showHiddenMetricsForVersion shutdownGracePeriod shutdownGracePeriodByPodPriority shutdownGracePeriodCriticalPods
singleProcessOOMKill staticPodPath streamingConnectionIdleTimeout syncFrequency systemCgroups systemReserved
systemReservedCgroup tlsCertFile tlsCipherSuites tlsCurvePreferences tlsMinVersion tlsPrivateKeyFile
topologyManagerPolicy topologyManagerPolicyOptions topologyManagerScope tracing userNamespaces volumePluginDir
volumeStatsAggPeriod'
# The keys of runtimes' configurations, and of what they report of themselves.
KEYS='version root state temp sandbox sandbox_image sandboxImage pause_image snapshotter default_runtime_name
defaultRuntimeName default_runtime runtime_type runtimeType runtime_root runtime_path runtime_handler SystemdCgroup
systemdCgroup systemd_cgroup conf_dir confDir conf_template bin_dir binDir bin_dirs binDirs network_dir plugin_dirs
disabled_plugins required_plugins imports address cgroup_manager conmon_cgroup storage_driver level Driver
CgroupDriver CgroupVersion ServerVersion DockerRootDir KernelVersion OperatingSystem OSType OSVersion Architecture
DefaultRuntime DefaultAddressPools Name Version ApiVersion MinAPIVersion GitCommit GoVersion Os Arch BuildTime
exec-opts data-root graph storage-driver cgroup-parent default-runtime runtimeEndpoint containerdRootDir
containerdEndpoint rootDir stateDir type status reason message golang lastCNILoadStatus RuntimeVersion CNIVersion
cniVersion IFName'

# --- Writing probes -------------------------------------------------------------------------------------------------------------------

# probe KIND NAME HOW COMMAND...: writes what a command prints as a probe; HOW says what is left out of it, see below.
probe() {
    kind=$1 name=$2 how=$3
    shift 3
    answer "$@" | write "$how" "$kind" "$name"
}

# Writes probes that were kept.
show() { [ -z "$1" ] || printf '%s\n' "$1"; }

# kept KIND NAME HOW TEXT: the same of a text.
kept() {
    {
        printf '%s\n\n' "$4" | sed 's/^/|/'
        echo '=end 0'
    } | write "$3" "$1" "$2"
}

# note KIND NAME text TEXT, note KIND NAME problem WHY, note KIND NAME gone
note() { echo "=$3" | NOTE=${4:-} write plain "$1" "$2"; }

# write HOW KIND NAME: reads what the functions above print, and writes a probe as a JSON document. HOW:
#   plain    as it is
#   argv     arguments, one per line: names of flags, and values that are known to hold no secret
#   env      files of variables and systemd's units: flags as above, programs, and the names of variables and of other files
#   config   a KubeletConfiguration, and nothing else: its keys, and below those that are known values of ordinary forms
#   secrets  a runtime's configuration, JSON or TOML: its keys, and values of those that are known; JSON is written one value per line
#   state    a state file of the kubelet, and nothing else
#   device   the same of the device plugins, without what the plugins answered
#   account  what a file of accounts has of the user kubelet: ids alone; of nsswitch.conf, what has ranges of ids
#   providers  a CredentialProviderConfig, and nothing else: the names of providers
#   tasks    what PROCESS prints, several probes
#   mounts   a mount table; passwords of file systems are left out
#   pem      certificates alone
#   crictl   JSON of crictl, of whose annotations only those with hashes and attempts keep their values
#   status   the same, but of an object's status alone
#   inspect  of a container in crictl's JSON: its ids, times, state and process
#   version  what `crictl version` prints, as JSON
#   rows     containers in lines, as a list with Docker's words for states and times
#   info     what Docker reports of itself, also as text
#   ctr      containers in lines, see CTR, as crictl lists them
write() {
    KIND=$2 NAME=$3 NOTE=${NOTE:-} FLAGS=$FLAGS FIELDS=$FIELDS KEYS=$KEYS awk -v how="$1" '
    BEGIN {
        kind = ENVIRON["KIND"]; name = ENVIRON["NAME"]
        ORS = ""
        for (i = 0; i < 256; i++) {
            c = sprintf("%c", i)
            code[c] = i
            if (i < 32 || i == 34 || i == 92 || i == 127) escape[c] = sprintf("\\u%04x", i)
        }
        escape["\t"] = "\\t"; escape["\""] = "\\\""; escape["\\"] = "\\\\"
        private = "passw|passphrase|pwd|secret|token|api-?_?key|access-?_?key|private|authorization|header|cookie|session|credential|username|identity"
        listed(how == "config" ? ENVIRON["FIELDS"] : how == "argv" || how == "env" ? ENVIRON["FLAGS"] : ENVIRON["KEYS"])
        q = sprintf("%c", 39)
        user = "://[^/ \t\"" q "]*@"
        odd = "://[^/ \t,\"" q "]*:[^ \t,\"" q "]*@"
        query = "://[^ \t?#\"" q "]*[?#][^ \t\"" q "]*"
        quoted = "(bearer|basic) +[^ ,;]+|(passw|pwd|secret|token|credential|cookie|authorization|api_?-?key)[a-z0-9_.-]*[\\\\]?[\"" q "]? ?[:=] ?((bearer|basic) +)?[^ ,;]+|[a-z_][a-z0-9_.-]*=[^ ,;\"]+"
        words = "^(level|time|code|desc|reason|status|type|error|err)="
        keyed = "^[ \t]*(- )?(\"([^\"\\\\]|\\\\.)*\"|[" q "]?[A-Za-z0-9_./-]+[" q "]?)[ \t]*[:=]"
        flagged = "^[\"" q "]?--?[A-Za-z]"
        bareflag = flagged "[^=]*$"
        assigned = "^[\"" q "]?(Environment=|export )?[\"" q "]?[A-Za-z_][A-Za-z0-9_]*="
        field_of = "^ *(- +)*(\"[A-Za-z0-9_./-]+\" *:|(" q "[A-Za-z0-9_./-]+" q "|[A-Za-z0-9_./-]+) *:([ \t]|$))"
        ordinary = "^[]A-Za-z0-9_./:%<>=,;@{}()[+*~|^! -]*$"
        word_of_unit = "^[\"" q "]?[$][{]?[A-Za-z_][A-Za-z0-9_]*[}]?[\"" q "]?$"
        reference = "^[$][{][A-Za-z_][A-Za-z0-9_]*[}]$"
        directive = "^(Exec[A-Za-z]*|EnvironmentFile|Restart[A-Za-z]*|Slice|Type|User|KillMode|WatchdogSec|Delegate|[A-Za-z]*Accounting|Limit[A-Z]*|After|Wants|Requires)=$"
        state_key = "\"(policyname|data|datachecksum|checksum|entries|podentries|allocationentries|allocations|resizestatusentries|defaultcpuset|machinestate|version|kind|name|namespace|poddeviceentries|registereddevices)\""
        empty = "^(true|false|null|[0-9.]*|[0-9.]+(ms|[smh])|[{] *[}]|\\[ *\\]|\"\"|" q q ")$"
        kept = "^(io\\.kubernetes\\.container\\.(hash|hashWithoutResources|restartCount)|alibabacloud\\.com/container-hash-version)$"
        most = 16777216
    }
    /^[|]/ { if ((size += length($0)) <= most) text[++lines] = substr($0, 2); next }
    {
        word = substr($0, 2)
        verb = word; sub(/ .*/, "", verb)
        sub(/^[a-z]+ ?/, "", word)
    }
    verb == "gone" { absent(); next }
    verb == "text" { text[lines = 1] = ENVIRON["NOTE"]; finish(); next }
    verb == "problem" { problem(ENVIRON["NOTE"]); next }
    verb == "late" { fault("no answer within " (word + 0) " s"); next }
    verb == "over" { fault("not read: the " (word + 0) " s for the whole node were over"); next }
    verb == "end" {
        status = word + 0
        said = word; sub(/^[0-9]+/, "", said); gsub(/(; *)+/, "; ", said); sub(/^; /, "", said); sub(/; $/, "", said)
        if (how == "tasks") tasks("it was interrupted")
        else if (word ~ /^0/) finish()
        else failed(status, said)
        next
    }
    END { if (kind != "") fault("it was interrupted") }

    # Writes why there is no whole answer.
    function fault(why) { if (how == "tasks") tasks(why); else problem(why) }
    # PROCESS prints "probe PID", then lines after a "|" or "gone" or "problem WHY", then "done"; the last one may not be whole.
    function tasks(why,   i, n, all, line) {
        n = lines
        for (i = 1; i <= n; i++) all[i] = text[i]
        reset()
        for (i = 1; i <= n; i++) {
            line = all[i]
            if (line ~ /^probe [0-9]+$/) { reset(); kind = "process"; name = substr(line, 7) }
            else if (line ~ /^[|]/) { if ((size += length(line)) <= most) text[++lines] = substr(line, 2) }
            else if (line == "gone") absent()
            else if (line ~ /^problem /) problem(substr(line, 9))
            else if (line == "done" && kind != "") { text[++lines] = ""; finish() }
        }
        if (kind != "") problem(why)
        reset()
    }

    function reset(  i) { kind = ""; split("", text); lines = 0; size = 0 }
    function start() { print "{\"hashcompat\":\"probe\",\"kind\":\""; put(kind); print "\",\"name\":\""; put(name); print "\"," }
    function absent() { if (kind != "") { start(); print "\"absent\":true}\n" } reset() }
    function problem(why) { if (kind != "") { start(); print "\"problem\":\""; put(substr(why, 1, 500)); print "\"}\n" } reset() }
    function failed(status, said,   lower) {
        lower = tolower(said)
        if (gone(lower)) absent()
        else if (lower ~ /permission denied|operation not permitted/) problem("permission denied")
        else if (status == 127) problem(said == "" ? "there is no such command" : careful(said))
        else problem(said == "" ? "exit status " status : careful(said))
    }
    function gone(said) {
        if (kind == "docker") return name ~ /^inspect / && said ~ /no such (object|container)/
        if (kind == "cri") return name ~ /^(inspect|inspectp|ended|stats) / && said ~ /notfound|not found|no such container/
        return kind != "version" && said ~ /no such file|not a directory|no such process|nonexistent directory/
    }
    function finish(   i) {
        if (kind == "") { reset(); return }
        if (size > most) { problem("larger than " most " bytes"); return }
        if (how == "pem") pem()
        else if (how == "env" || how == "argv") each_line()
        else if (how == "config") { if (object()) pretty(); configuration() }
        else if (how == "secrets" || how == "info" && object()) { if (object()) pretty(); hidden() }
        else if (how == "account") account()
        else if (how == "providers") providers()
        else if (how == "state" || how == "device") { if (state_file() && how == "device") device() }
        else if (how == "mounts") mounts()
        else if (how == "crictl") { if (compact()) pretty(); annotations() }
        else if (how == "status") { if (compact()) pretty(); section("status"); annotations() }
        else if (how == "inspect") { if (compact()) pretty(); inspect() }
        else if (how == "version") versions()
        else if (how == "rows") rows()
        else if (how == "info") info()
        else if (how == "ctr") from_ctr()
        if (kind == "") return
        start(); print "\"text\":\""
        for (i = 1; i <= lines; i++) { if (i > 1) print "\\n"; put(text[i]) }
        print "\"}\n"
        reset()
    }

    # JSON text of bytes: what is not UTF-8 becomes U+FFFD; NUL came as 0xff, which UTF-8 never has.
    function put(s,   n, at, part) {
        n = length(s)
        for (at = 1; at <= n; at += 1000) {
            part = n > 1000 ? substr(s, at, 1000) : s
            if (!need && part ~ /^[ -~]*$/) ascii(part); else bytes(part)
        }
        if (need) { print "\\ufffd"; need = 0; held = "" }
    }
    function ascii(part,   n, i, cut) {
        gsub(/\\/, "&&", part)
        n = split(part, cut, "\"")
        for (i = 1; i <= n; i++) { if (i > 1) print "\\\""; print cut[i] }
    }
    function bytes(part,   n, i, c, b, out) {
        n = length(part)
        for (i = 1; i <= n; i++) {
            c = substr(part, i, 1)
            b = c in code ? code[c] : 254
            if (need) {
                if (b >= low && b <= high) {
                    held = held c; low = 128; high = 191
                    if (--need == 0) { out = out held; held = "" }
                    continue
                }
                out = out "\\ufffd"; need = 0; held = ""
            }
            if (b < 128) out = out (c in escape ? escape[c] : c)
            else if (b == 255) out = out "\\u0000"
            else if (b >= 194 && b <= 244) {
                need = b < 224 ? 1 : b < 240 ? 2 : 3
                low = b == 224 ? 160 : b == 240 ? 144 : 128
                high = b == 237 ? 159 : b == 244 ? 143 : 191
                held = c
            }
            else out = out "\\ufffd"
        }
        print out
    }

    function object(   i) {
        for (i = 1; i <= lines; i++) if (text[i] ~ /[^ \t\r]/) return text[i] ~ /^[ \t]*[{]/
        return 0
    }
    function compact(   i) {
        for (i = 1; i <= lines; i++) if (text[i] ~ /[{,] *"[^"]*" *: *[^ ]/) return 1
        return 0
    }
    # JSON with one value per line, indented by two blanks.
    function pretty(   i, all, n, c, made, line, depth, at) {
        for (i = 1; i <= lines; i++) all = all text[i] " "
        gsub(/[\t\r]/, " ", all)
        if (length(all) > 1048576) { problem("too long to leave secrets out of it"); return }
        split("", text); n = 0; line = ""
        while (match(all, /[]["{},]/)) {
            at = RSTART
            line = line substr(all, 1, at - 1)
            c = substr(all, at, 1)
            all = substr(all, at)
            if (c == "\"") {
                if (!match(all, /^"([^"\\]|\\.)*"/)) break
                line = line substr(all, 1, RLENGTH); all = substr(all, RLENGTH + 1)
                continue
            }
            all = substr(all, 2)
            if (c == "}" || c == "]") {
                sub(/^ +/, "", line); sub(/ +$/, "", line)
                if (line != "") text[++n] = blanks(depth) line
                depth--; line = c
            } else {
                sub(/^ +/, "", line); sub(/ +$/, "", line)
                text[++n] = blanks(depth) line c; line = ""
                if (c != ",") depth++
            }
        }
        sub(/^ +/, "", line); sub(/ +$/, "", line)
        if (line != "") text[++n] = blanks(depth) line
        text[++n] = ""
        lines = n
    }
    function blanks(depth,   s) { s = ""; while (depth-- > 0) s = s "  "; return s }
    function indent(s) { match(s, /^ */); return RLENGTH }
    # Leaves user, password, query and fragment out of URLs.
    function userless(s,   made, url) {
        if (!index(s, "://")) return s
        gsub(user, "://", s); gsub(odd, "://", s); made = ""
        while (match(s, query)) {
            url = substr(s, RSTART, RLENGTH); made = made substr(s, 1, RSTART - 1); s = substr(s, RSTART + RLENGTH)
            sub(/[?#].*/, "", url); made = made url
        }
        return made s
    }
    # Leaves out of a complaint what may be the value of a secret.
    function careful(s,   made, low, piece, at, n) {
        s = userless(s); low = tolower(s); made = ""
        while (match(low, quoted)) {
            at = RSTART; n = RLENGTH; piece = substr(s, at, n)
            if (tolower(piece) !~ words) { match(piece, /[ :=]/); piece = substr(piece, 1, RSTART) "***" }
            made = made substr(s, 1, at - 1) piece
            s = substr(s, at + n); low = substr(low, at + n)
        }
        return made s
    }
    function listed(words,   n, i, all) { n = split(words, all, /[ \n]+/); for (i = 1; i <= n; i++) open[all[i]] = 1 }
    function harmless(value) { return value ~ empty }
    function bare(key) { gsub("[ \t\"" q ":=]", "", key); sub(/^-+/, "", key); return key }
    function unquoted(value) {
        if (value ~ /^"[^"\\]*"$/ || value ~ ("^" q "[^" q "]*" q "$")) return substr(value, 2, length(value) - 2)
        return value
    }
    # Whether a value may be shown: of one key it is one text, or a list or object of such on one line.
    function plain(value) {
        value = unquoted(value)
        if (value ~ /^\[.*\]$/ || value ~ /^[{].*[}]$/) { gsub("[\"" q "]", "", value); if (tolower(value) ~ (private "|[^a-z](pass|pw|auth|key) *[:=]")) return 0 }
        return length(value) <= 4096 && value ~ ordinary && value !~ /^[&*!|>%@]/
    }

    # Leaves out of JSON and TOML, one value per line, the values of keys that are not known, and what is below them.
    function hidden(   i, n, line, at, inside, private_section, key, value, comma, open_list) {
        n = 0; inside = -1; until = ""; private_section = 0; open_list = 0
        for (i = 1; i <= lines; i++) {
            line = userless(text[i])
            if (until != "") { if (index(line, until)) until = ""; continue }
            at = indent(line)
            if (inside >= 0 && (line !~ /[^ \t]/ || at > inside)) continue
            inside = -1
            if (line ~ /^[ \t]*#/) continue
            if (line ~ /^[ \t]*[]{}[]*,?[ \t]*$/) { text[++n] = line; open_list = 0; continue }
            if (line ~ /^[ \t]*\[.*\][ \t]*(#.*)?$/) {
                sub(/[ \t]*#.*$/, "", line)
                private_section = line !~ ("^[ \t]*\\[+[]A-Za-z0-9_./:\" " q "-]*$") || tolower(line) ~ (private "|auth|[.]env|log-opts")
                if (private_section) continue
            } else if (match(line, keyed)) {
                key = substr(line, 1, RLENGTH); value = substr(line, RLENGTH + 1)
                gsub(/^[ \t]+|[ \t,]+$/, "", value)
                comma = line ~ /,[ \t]*$/ ? "," : ""
                open_list = 0
                if (key !~ ("^[ \t]*[A-Za-z0-9_./:\" " q "-]*[:=]$")) { key = blanks(at / 2) "\"\":" }
                if (private_section || tolower(bare(key)) ~ private) { inside = at; if (!harmless(value)) line = key " " instead(value) comma }
                else if (value == "[") {
                    open_list = bare(key) in open
                    if (!open_list && text[i + 1] !~ /^[ \t]*([{]|\[|\])/) inside = at
                }
                else if (value != "{" && !harmless(value)) {
                    if (bare(key) == "message") { value = careful(value); line = key " " value comma }
                    else if (!(bare(key) in open) || !plain(value)) { inside = at; line = key " " instead(value) comma }
                }
            } else if (open_list && !private_section) {
                comma = line ~ /,[ \t]*$/ ? "," : ""
                value = line; gsub(/^[ \t]+|[ \t,]+$/, "", value)
                if (!plain(value)) line = blanks(at / 2) "\"\"" comma
            } else continue
            text[++n] = line
        }
        lines = n
    }
    # Returns what stands for a value, and sets what ends the lines that belong to it, if not their indentation.
    function instead(value) {
        if (value == "{" || value == "[") return value
        until = begun(value, "\"\"\"") begun(value, q q q)
        if (value ~ /^\[/ && value !~ /\]$/) until = "]"
        return value ~ /^\[/ ? "[]" : value ~ /^[{]/ ? "{}" : "\"\""
    }
    function begun(value, quotes) { return index(value, quotes) == 1 && !index(substr(value, 4), quotes) ? quotes : "" }

    # Leaves out of a KubeletConfiguration, JSON or YAML, what is below fields that are not known, and values of no ordinary form.
    function configuration(   i, n, line, at, top, inside, field, key, value, comma, item, group, sort) {
        n = 0; inside = -1; top = -1; field = 0
        for (i = 1; i <= lines; i++) {
            line = userless(text[i]); sub(/\r$/, "", line)
            if (line !~ /[^ \t]/ || line ~ /^[ \t]*#/) continue
            if (line ~ /^---[ \t]*(#.*)?$/) { if (top < 0) continue; break } # a kubelet reads the first document
            at = indent(line)
            if (inside >= 0 && (at > inside || at == inside && line ~ /^ *-( |$)/)) continue
            inside = -1
            if (line ~ /^ *[]{}[]*,?$/) { text[++n] = line; continue }
            comma = line ~ /,[ \t]*$/ ? "," : ""
            if (match(line, field_of)) {
                key = substr(line, 1, RLENGTH); value = substr(line, RLENGTH + 1); sub(/[ \t]+$/, "", key)
                item = key; gsub(/[- ]/, "", item); item = bare(key)
                value = uncommented(value)
                if (top < 0) top = at
                if (at == top) {
                    field = item in open
                    if (item == "apiVersion") group = unquoted(value)
                    if (item == "kind") sort = unquoted(value)
                }
                if (!field || tolower(item) ~ private && item !~ /(File|Path|Dir|Policy|Strategy|TTL)$/ && (value == "" || !harmless(value))) {
                    inside = at
                    line = key " " instead(value) comma; until = ""
                } else if (value == "" || value == "{" || value == "[" || harmless(value) || plain(value)) line = key (value == "" ? "" : " " value) comma
                else { inside = at; line = key " \"\"" comma }
            } else if (field && match(line, /^ *(- +)+/)) {
                key = substr(line, 1, RLENGTH)
                value = uncommented(substr(line, RLENGTH + 1))
                line = key (plain(value) ? value : "\"\"")
            } else if (field && line ~ /^ *"/) {
                value = uncommented(line)
                line = blanks(at / 2) (plain(value) ? value : "\"\"") comma
            } else { problem("not shown: it has a line that is not of a KubeletConfiguration"); return }
            text[++n] = line
        }
        if (sort != "KubeletConfiguration" || group !~ /^(kubelet[.]config[.]k8s[.]io|kubeletconfig|componentconfig)\/v[0-9a-z]+$/) {
            problem("not shown: it is not a KubeletConfiguration of kubelet.config.k8s.io")
            return
        }
        text[++n] = ""; lines = n
    }
    # Returns a value without blanks around it, a comment and a comma.
    function uncommented(value) {
        gsub(/^[ \t]+|[ \t,]+$/, "", value)
        if (value ~ /^#/) return ""
        if (match(value, /^"[^"\\]*"[ \t]+#/) || match(value, "^" q "[^" q "]*" q "[ \t]+#")) value = substr(value, 1, RLENGTH - 1)
        else if (value !~ ("^[\"" q "]")) sub(/[ \t]+#.*$/, "", value)
        sub(/[ \t]+$/, "", value)
        return value
    }
    # Leaves of a file of accounts what it has of the user kubelet, without passwords, names and directories.
    function account(   i, n, part, count) {
        n = 0
        for (i = 1; i <= lines; i++) {
            count = split(text[i], part, ":")
            if (name == "/etc/passwd") { if (part[1] == "kubelet" && part[3] ~ /^[0-9]+$/ && part[4] ~ /^[0-9]+$/) text[++n] = "kubelet:x:" part[3] ":" part[4] ":::" }
            else if (name == "/etc/nsswitch.conf") { if (part[1] == "subid" && match(part[2], /[a-z_]+/)) text[++n] = "subid: " substr(part[2], RSTART, RLENGTH) }
            else if (count == 3 && part[1] ~ /^(kubelet|[0-9]+)$/ && part[2] ~ /^[0-9]+$/ && part[3] ~ /^[0-9]+$/) text[++n] = text[i]
        }
        if (n) text[++n] = ""
        lines = n
    }
    # Leaves of a CredentialProviderConfig, JSON or YAML, its kind and the names of its providers. Whether it has any must stay true: a list of
    # YAML that is not written one key per line is not taken apart.
    function providers(   i, kinds, odd) {
        split("", open); open["name"] = open["kind"] = open["apiVersion"] = 1
        if (object()) pretty()
        for (i = 1; i <= lines; i++) {
            sub("([ \t]+#[^\"" q "]*)?\r?$", "", text[i])
            if (text[i] ~ ("^[ \t]*[\"" q "]?kind[\"" q "]? *: *[\"" q "]?CredentialProviderConfig[\"" q "]?,? *$")) kinds = 1
            if (text[i] ~ /^[ \t]*-[ \t]*([{&*!#]|$)/) odd = 1
            if (text[i] ~ ("^[ \t]*[\"" q "]?providers[\"" q "]? *: *[^ ]") && text[i] !~ /: *(null|~|\[|\[ *\]),? *$/) odd = 1
        }
        if (!kinds) problem("not shown: it is not a CredentialProviderConfig")
        else if (odd) problem("not shown: its providers are not written one key per line")
        else hidden()
    }
    # Whether there is a state file of a kubelet; what is not a JSON object is left out, because then nothing shows what it is.
    function state_file(   i, head) {
        for (i = 1; i <= lines && length(head) < 200; i++) head = head text[i]
        gsub(/[ \t\r]/, "", head)
        if (head == "") return 1
        if (head !~ /^[{]/) { split("", text); text[lines = 1] = "no JSON object, and left out"; return 1 }
        if (head ~ /^[{][}]/ || tolower(head) ~ ("^[{]" state_key ":")) return 1
        problem("not shown: it is not a state file of a kubelet")
        return 0
    }

    function each_line(   i, n, line, before) {
        n = 0; before = last = ""; continued = 0
        for (i = 1; i <= lines; i++) {
            line = userless(text[i])
            if (how == "argv") {
                text[++n] = line == "" ? "" : i == 1 ? (program(line) ? line : "") : argument(line, before)
                before = line
            }
            else if (line !~ /^[ \t]*[#;]/) text[++n] = variables(line)
        }
        lines = n
    }
    function program(word) { return word ~ /^[A-Za-z0-9_.\/@:+-]+$/ && length(word) <= 256 }
    # Returns what of an argument is shown: a flag, its value, a subcommand, a file, the id of a container.
    function argument(word, before,   flag, value) {
        if (word ~ flagged) {
            flag = word; sub(/=.*/, "", flag)
            if (flag !~ ("^[\"" q "]?--?[A-Za-z][A-Za-z0-9._-]*[\"" q "]?$") || length(flag) > 100) return ""
            value = substr(word, length(flag) + 2)
            if ((how == "env" || name == "kubelet") && !is_flag(flag, before, word ~ /=/)) return ""
            return word !~ /=/ || shows(flag, value) ? word : flag "=" closing(value)
        }
        if (how == "env" && word ~ word_of_unit) return word
        if (before ~ bareflag && shows(before, word)) return word
        if (before ~ bareflag && tolower(before) ~ private) return ""
        if (word ~ ("^[\"" q "]?(kubelet|server|agent|start|delete|\\\\)[\"" q "]?$")) return word
        if (name != "kubelet" && how == "argv" && word ~ /^[0-9a-f]*$/ && length(word) == 64) return word
        return ""
    }
    # Returns the quote at the end of a value that is left out, where it belongs to one before the value.
    function closing(value,   last) {
        last = substr(value, length(value))
        return (last == "\"" || last == q) && gsub(last, "", value) % 2 ? last : ""
    }
    # Whether a word that begins with a hyphen is a flag, and not the value of a secret that begins like one.
    function is_flag(flag, before, assigns) {
        if (normal(flag) in open) return 1
        return flag ~ ("^[\"" q "]?--") && (assigns || before !~ bareflag || tolower(before) !~ private || normal(before) in open)
    }
    function normal(flag) { flag = tolower(bare(flag)); gsub(/_/, "-", flag); return flag }
    function shows(flag, value) {
        gsub("^[\"" q "]|[\"" q "]$", "", value)
        flag = normal(flag)
        if (harmless(value) || how == "env" && value ~ reference) return 1
        if (name != "kubelet" && how == "argv" && flag ~ /^(id|namespace|address|c|u|r|runtime)$/) return program(value)
        gsub(q, "", value); gsub(/"/, "", value)
        return flag in open && length(value) <= 4096 && value ~ ordinary
    }
    function variables(line,   n, i, words, made, word, before, key, value, keep, goes_on) {
        if (line ~ /^[ \t]*\[[A-Za-z]+\][ \t]*$/) { continued = 0; last = ""; return line }
        # A line that ends in a backslash and the next one are one.
        goes_on = sub(/[ \t]*\\$/, "", line)
        n = split(line, words, /[ \t]+/); made = ""; before = last; keep = continued
        for (i = 1; i <= n; i++) {
            word = words[i]
            if (word == "") continue
            if (before !~ bareflag && match(word, assigned)) {
                key = substr(word, 1, RLENGTH); value = substr(word, RLENGTH + 1)
                before = ""
                if (key ~ directive) {
                    keep = 1
                    if (key == "WatchdogSec=") {
                        while (i < n && words[i + 1] ~ /^[0-9.]+[A-Za-z]*$/) value = value " " words[++i]
                        if (value !~ /^[0-9A-Za-z. ]*$/) value = ""
                    } else if (!program(value) && value !~ /^[-@:+!|]*\/[A-Za-z0-9_.\/@:+-]*$/) value = ""
                } else if (value ~ ("^[\"" q "]?-")) { keep = 1; before = value; value = argument(value, tolower(key) ~ private ? "--secret" : "") }
                else if (value ~ word_of_unit && toupper(value) == value && tolower(key) !~ private) keep = 1
                else { keep = 0; if (!harmless(value) && value !~ ("^[\"" q "][\"" q "]?$")) value = "" }
                word = key value
            } else if (word ~ flagged) { keep = 1; value = word; word = argument(word, before); before = value }
            else if (keep) { value = word; word = argument(word, before); before = value }
            else word = ""
            if (word != "" || keep) made = made (made == "" ? "" : " ") word
        }
        continued = keep && goes_on; last = continued ? before : ""
        return goes_on ? made (made == "" ? "" : " ") "\\" : made
    }
    function pem(   i, n, on, block) {
        n = 0
        for (i = 1; i <= lines; i++) {
            sub(/\r$/, "", text[i])
            if (text[i] == "-----BEGIN CERTIFICATE-----") { on = 1; block = text[i]; continue }
            if (!on) continue
            if (text[i] ~ /^[A-Za-z0-9+\/=]+$/) { block = block "\n" text[i]; continue }
            if (text[i] == "-----END CERTIFICATE-----") text[++n] = block "\n" text[i]
            on = 0
        }
        lines = n
        if (!n) problem("no certificate in it")
        else text[++lines] = ""
    }
    function mounts(   i) { for (i = 1; i <= lines; i++) { text[i] = userless(text[i]); gsub(/[A-Za-z0-9_.-]*(pass|pwd|pw|secret|token|credential|key)[A-Za-z0-9_.-]*=[^, ]*/, "secret=", text[i]) } }
    function device(   i) { for (i = 1; i <= lines; i++) gsub(/"AllocResp\\?" *: *\\?"[^"]*"/, "\"AllocResp\":\"\"", text[i]) }
    function annotations(   i, on, key) {
        for (i = 1; i <= lines; i++) {
            if (text[i] ~ /"annotations" *: *\{ *$/) { on = 1; continue }
            if (on && text[i] ~ /^ *\}/) on = 0
            if (!on) continue
            key = text[i]; sub(/^ *"/, "", key); sub(/" *:.*/, "", key)
            if (key !~ kept) sub(/" *: *".*"/, "\": \"\"", text[i])
        }
    }
    function section(wanted,   i, n, on) {
        n = 0; text[++n] = "{"
        for (i = 2; i <= lines; i++) {
            if (text[i] ~ ("^  \"" wanted "\" *: *\\{")) on = 1
            if (on && text[i] ~ /^  \}/) { text[++n] = "  }"; on = 0 }
            if (on) text[++n] = text[i]
        }
        text[++n] = "}"; text[++n] = ""
        lines = n
    }
    function inspect(   i, part, parts, line) {
        for (i = 1; i <= lines; i++) {
            line = text[i]; sub(/,$/, "", line)
            if (line ~ /^  "(status|info)" *: *\{/) { part = line ~ /status/ ? "status" : "info" }
            else if (line ~ /^  \}/) part = ""
            else if (part == "status" && line ~ /^    "(id|state|createdAt|startedAt|finishedAt|exitCode)" *:/ || part == "info" && line ~ /^    "(pid|sandboxID)" *:/)
                parts[part] = parts[part] (parts[part] == "" ? "" : ",") substr(line, 5)
        }
        split("", text)
        text[1] = "{\"status\":{" parts["status"] "},\"info\":{" parts["info"] "}}"; text[2] = ""
        lines = 2
    }
    function versions(   i, key, value, made) {
        for (i = 1; i <= lines; i++) {
            if (text[i] !~ /^[A-Za-z]+: /) continue
            key = text[i]; sub(/:.*/, "", key); value = text[i]; sub(/^[^:]*: */, "", value)
            gsub(/[\\"]/, "", value)
            made = made (made == "" ? "" : ",") "\"" tolower(substr(key, 1, 1)) substr(key, 2) "\":\"" value "\""
        }
        split("", text)
        text[1] = "{" made "}"; text[2] = ""; lines = 2
    }
    function rows(   i, n, line, state) {
        n = 0
        for (i = 1; i <= lines; i++) {
            line = text[i]
            if (line !~ /^\{/) continue
            gsub(/"(annotation[.])?io[.]kubernetes[.][A-Za-z.]*":(""|null),?/, "", line); gsub(/,[}]/, "}", line)
            state = line ~ /"Status":"Up [^"]*\(Paused\)/ ? "paused" : line ~ /"Status":"Up/ ? "running" : line ~ /"Status":"Restarting/ ? "restarting" : line ~ /"Status":"Created/ ? "created" : line ~ /"Status":"Dead/ ? "dead" : line ~ /"Status":"Removal/ ? "removing" : "exited"
            sub(/"State":""/, "\"State\":\"" state "\"", line)
            if (match(line, /"Created":"[-0-9]* [:0-9]* [-+][0-9]* [^"]*"/)) line = substr(line, 1, RSTART - 1) time(substr(line, RSTART, RLENGTH)) substr(line, RSTART + RLENGTH)
            text[++n] = line
        }
        if (name == "list" || name == "images") {
            for (i = 1; i < n; i++) text[i] = text[i] ","
            text[1] = "[" text[1]; text[n ? n : 1] = text[n ? n : 1] "]"
            if (!n) n = 1
        }
        text[++n] = ""
        lines = n
    }
    function time(s,   part, zone) {
        split(s, part, /[" ]/)
        zone = part[6]
        return "\"Created\":\"" part[4] "T" part[5] substr(zone, 1, 3) ":" substr(zone, 4, 2) "\""
    }
    # Up to 1.12, docker info has no --format.
    function info(   i, line, key, value, made) {
        split("Server Version=ServerVersion,Storage Driver=Driver,Cgroup Driver=CgroupDriver,Cgroup Version=CgroupVersion,Docker Root Dir=DockerRootDir,Kernel Version=KernelVersion,Operating System=OperatingSystem,Default Runtime=DefaultRuntime", pairs, ",")
        for (i in pairs) { key = pairs[i]; sub(/=.*/, "", key); value = pairs[i]; sub(/.*=/, "", value); known[key] = value }
        for (i = 1; i <= lines; i++) {
            line = text[i]; sub(/^[ \t]*/, "", line)
            key = line; sub(/:.*/, "", key); value = line; sub(/^[^:]*: */, "", value)
            gsub(/[\\"]/, "", value)
            if (key == "Live Restore Enabled") made = made ",\"LiveRestoreEnabled\":" (value ~ /true/ ? "true" : "false")
            else if (key in known) made = made ",\"" known[key] "\":\"" value "\""
        }
        split("", text)
        text[1] = "{" substr(made, 2) "}"; text[2] = ""; lines = 2
    }
    # A line per container: its id, its task, when it was created, and what containerd keeps of it for the CRI.
    function from_ctr(   i, n, line, part, id, state, runs, created, pod) {
        n = 0
        for (i = 1; i <= lines; i++) {
            line = text[i]
            if (split(line, part, " ") < 4) continue
            id = part[1]; created = part[3]; line = substr(line, index(line, "{"))
            pod = "\"metadata\":{" member(line, "name", "io.kubernetes.pod.name") "," member(line, "namespace", "io.kubernetes.pod.namespace") "," member(line, "uid", "io.kubernetes.pod.uid") ",\"attempt\":" attempt(line) "},\"linux\":{\"namespaces\":{\"options\":{\"network\":\"" (line ~ /"namespace_options":[{][^}]*"network":2/ ? "NODE" : "POD") "\"}}}"
            runs = part[2] ~ /^(RUNNING|PAUSED|PAUSING)$/
            state = name == "pods" ? (runs ? "SANDBOX_READY" : "SANDBOX_NOTREADY") : "CONTAINER_" (runs ? "RUNNING" : part[2] == "CREATED" ? "CREATED" : "EXITED")
            text[++n] = "{\"id\":\"" id "\",\"createdAt\":\"" created "\",\"state\":\"" state "\"," (name == "pods" ? pod : container(line)) "},"
        }
        if (n) sub(/,$/, "", text[n])
        for (i = n; i > 0; i--) text[i + 1] = text[i]
        text[1] = "{\"" (name == "pods" ? "items" : "containers") "\":["
        text[n + 2] = "]}"; text[n + 3] = ""; lines = n + 3
    }
    function container(line,   made, i, key, keys) {
        made = "\"podSandboxId\":" found(line, "SandboxID") ",\"metadata\":{" member(line, "name", "io.kubernetes.container.name") ",\"attempt\":" attempt(line) "},\"labels\":{"
        split("container.name pod.name pod.namespace pod.uid", keys, " ")
        for (i = 1; i <= 4; i++) { key = "io.kubernetes." keys[i]; made = made (i > 1 ? "," : "") member(line, key, key) }
        made = made "},\"annotations\":{" member(line, "io.kubernetes.container.hash", "io.kubernetes.container.hash")
        key = "io.kubernetes.container.hashWithoutResources"
        return made (index(line, "\"" key "\":") ? "," member(line, key, key) : "") "}"
    }
    function member(line, as, key) { return "\"" as "\":" found(line, key) }
    function found(line, key) {
        key = "\"" key "\":"
        if (!index(line, key)) return "\"\""
        line = substr(line, index(line, key) + length(key))
        return match(line, /^"([^"\\]|\\.)*"/) ? substr(line, 1, RLENGTH) : "\"\""
    }
    function attempt(line) {
        if (!match(line, /"Config":[{]"metadata":[{][^}]*"attempt":[0-9]+/)) return 0
        line = substr(line, RSTART, RLENGTH)
        sub(/.*:/, "", line)
        return line
    }'
}

# --- What is read ---------------------------------------------------------------------------------------------------------------------

# Follows links as the node does, not as this container would.
inside() {
    path=$1
    [ -n "$HOST" ] || { printf '%s' "$path"; return; }
    for _ in 1 2 3 4 5 6 7 8; do
        [ -L "$HOST$path" ] || break
        target=$(readlink "$HOST$path")
        case $target in
            /*) path=$target ;;
            *) path=${path%/*}/$target ;;
        esac
    done
    printf '%s' "$HOST$path"
}

# Whether the kubelet's, systemd's or a runtime's own files can be at a path. Files outside are not read, whoever names them: an argument, a
# unit, a runtime. WHERE by distribution: /etc/kubernetes, /etc/default, /etc/sysconfig and /var/lib/kubelet of kubeadm, Kubespray, AKS,
# OpenShift, EKS (/etc/kubernetes/kubelet, /etc/eks) and Talos (/etc/kubernetes/kubelet.yaml); /etc/environment and /run/metadata of Flatcar;
# /srv/kubernetes of kops; /home/kubernetes and /etc/srv/kubernetes of GKE; /root/cdk of Charmed Kubernetes; /etc/rancher and /var/lib/rancher
# of k3s and RKE2; /etc/k0s and /var/lib/k0s; /var/snap/microk8s; /opt/kubernetes and /etc/kubelet* of self-made ones.
# Below a kubelet's and a runtime's directories is also what pods write: that is left out, and so are private keys.
is_place() {
    case $1/ in
        *[!A-Za-z0-9/._@:+-]* | */./* | */../* | *//*) return 1 ;;
        *[._-]key/ | *[._-]key.pem/) return 1 ;;
        */pods/* | */plugins/* | */plugins_registry/* | */checkpoints/*) return 1 ;;
        */io.containerd.* | */agent/containerd/* | /var/lib/k0s/containerd/* | */storage/* | */default-storage/*) return 1 ;;
        /etc/kubernetes/* | /etc/kubelet* | /etc/default/* | /etc/sysconfig/* | /etc/environment/ | /etc/node-sizing.env/ | /run/metadata/*) return 0 ;;
        /etc/systemd/* | /run/systemd/system/* | /usr/local/lib/systemd/* | /usr/lib/systemd/* | /lib/systemd/*) return 0 ;;
        /var/lib/kubelet/* | /etc/eks/* | /srv/kubernetes/* | /etc/srv/kubernetes/* | /home/kubernetes/*) return 0 ;;
        /etc/origin/* | /root/cdk/* | /opt/kubernetes/* | /opt/kubelet/*) return 0 ;;
        /etc/rancher/* | /var/lib/rancher/* | /etc/k0s/* | /var/lib/k0s/* | /run/k0s/*) return 0 ;;
        /var/snap/microk8s/*/args/* | /var/snap/microk8s/*/certs/* | /var/snap/microk8s/*/credentials/*) return 0 ;;
        /var/snap/microk8s/common/var/lib/kubelet/* | /var/snap/microk8s/*/opt/cni/* | /var/snap/k8s/* | /var/snap/kubelet/*) return 0 ;;
        /etc/containerd/* | /etc/docker/* | /etc/crio/* | /var/lib/dockershim/* | /var/lib/cri-dockerd/*) return 0 ;;
        /etc/cni/* | /opt/cni/* | /var/lib/cni/* | /run/multus/cni/* | /usr/libexec/cni/* | /usr/lib/cni/*) return 0 ;;
    esac
    for place in ${READ_ALSO:-} $root_places; do
        case $1/ in "${place%/}"/*) return 0 ;; esac
    done
    return 1
}
root_places=
base=$HOST

# Sets real, a path on the node without a link in it, and walked, that path with all above it and every link that led there.
resolve() {
    left_over=$1 real='' walked=/ links=0
    case $1 in
        *[!A-Za-z0-9/._@:+-]*) return 1 ;;
        /*) ;;
        *) return 1 ;;
    esac
    while [ -n "$left_over" ]; do
        part=${left_over%%/*}
        case $left_over in */*) left_over=${left_over#*/} ;; *) left_over= ;; esac
        case $part in
            '' | .) continue ;;
            ..)
                real=${real%/*}
                continue
                ;;
        esac
        walked="$walked $real/$part"
        if [ -L "$base$real/$part" ]; then
            links=$((links + 1))
            target=$(readlink "$base$real/$part") && [ "$links" -le 40 ] || return 1
            case $target in
                *[!A-Za-z0-9/._@:+-]*) return 1 ;;
                /*) real= ;;
            esac
            left_over=$target/$left_over
        else
            real=$real/$part
        fi
    done
    real=${real:-/}
}

# owned others|group: whether root, or who runs this, owns all of walked, and nobody else may write to it. In a directory with the sticky
# bit nobody removes what is root's, which will do for others; with group, nothing that a group may write to is accepted either.
owned() {
    whose=$1
    # shellcheck disable=SC2086 # paths without blanks
    set -- $walked
    for step; do
        shift
        set -- "$@" "$base$step"
    done
    # shellcheck disable=SC2012 # the names are not read
    why=$(ls -ldn "$@" 2>/dev/null | awk -v me="$ME" -v want=$# -v whose="$whose" '
        $3 != 0 && $3 != me { print "it, or what it is in, belongs to user " $3; said = 1; exit }
        /^l/ { next }
        substr($1, 9, 1) == "w" && (whose == "group" || $1 !~ /^d........[tT]/) { print "others may write to it, or to what it is in"; said = 1; exit }
        substr($1, 6, 1) == "w" && whose == "group" { print "a group may write to it, or to what it is in"; said = 1; exit }
        END { if (NR < want && !said) print "who owns it cannot be seen" }')
    [ -z "$why" ]
}

# reach PATH: sets real, where a file or directory of the kubelet, of systemd or a runtime is; fails with why it is not to be read.
reach() {
    why='not read: the files of a kubelet are elsewhere, see READ_ALSO'
    case $1 in *[._-]key | *[._-]key.pem) why='not read: it is a private key, by its name' ;; esac
    is_place "$1" || return 1
    why='not read: its links lead nowhere'
    resolve "$1" || return 1
    why="not read: it leads to a place where no files of a kubelet are"
    is_place "$real" || return 1
    why=
    [ -e "$HOST$real" ] || return 0
    owned others || {
        why="not read: $why"
        return 1
    }
    [ -f "$HOST$real" ] || [ -d "$HOST$real" ] || {
        why='not read: not a regular file'
        return 1
    }
}

# Leaves out of the PATH what others than root may write to.
trusted_path() {
    base='' trusted=''
    IFS=:
    for entry in $PATH; do
        IFS=' '
        ! { [ -d "$entry" ] && resolve "$entry" && owned others; } || trusted=${trusted:+$trusted:}$entry
    done
    printf '%s' "$trusted"
}

# missing KIND PATH: writes that there is no such file, where that is certain: all above it may be searched. Most files are missing, and
# this starts no program.
missing() {
    case $2 in *[!A-Za-z0-9/._-]*) return 1 ;; esac
    above=$(inside "$2")
    until [ -e "$above" ] || [ -L "$above" ]; do
        below=$above
        above=${above%/*}
        [ -n "$above" ] || above=/
    done
    [ -n "${below:-}" ] && [ -d "$above" ] && [ -x "$above" ] || return 1
    below=
    printf '{"hashcompat":"probe","kind":"%s","name":"%s","absent":true}\n' "$1" "$2"
}

# NUL is written as a byte that UTF-8 never has.
TEXT='exec tr "\377\000" "\376\377" <"$1"'

# file PATH HOW [KIND]: reads a file of the kubelet, of systemd or a runtime.
file() {
    is_new "${3:-file}" "$1" || return 0
    if ! reach "$1"; then
        note "${3:-file}" "$1" problem "$why"
    elif ! missing "${3:-file}" "$1"; then
        probe "${3:-file}" "$1" "$2" sh -c "$TEXT" sh "$HOST$real"
    fi
}
# host_file PATH [HOW]: reads one of the kernel's or the system's, which is at a path of ours.
host_file() { missing file "$1" || probe file "$1" "${2:-plain}" sh -c "$TEXT" sh "$(inside "$1")"; }
# there PATH: writes what kind of thing is at a path, and nothing of it.
there() {
    is_new path "$1" || return 0
    if ! resolve "$1" || [ ! -e "$HOST$real" ]; then
        note path "$1" gone
    elif [ -d "$HOST$real" ]; then
        note path "$1" text directory
    elif [ -f "$HOST$real" ]; then
        note path "$1" text file
    else
        note path "$1" text other
    fi
}
directory() {
    is_new directory "$1" || return 0
    if ! reach "$1"; then
        note directory "$1" problem "$why"
    elif ! missing directory "$1"; then
        probe directory "$1" plain ls -A "$HOST$real/"
    fi
}
# The configurations of networks in a directory: their plugins, and nothing else of them.
networks() {
    directory "$1"
    # shellcheck disable=SC2046 # paths without blanks
    batches secret_file $(files_in "$1" .conf) $(files_in "$1" .conflist) $(files_in "$1" .json)
}
state_file() { file "$1" state; }
secret_file() { file "$1" secrets; }
settings() { file "$1" env; }
configuration() { file "$1" config; }
certificate() { file "$1" pem certificate; }
providers() { file "$1" providers; }

# Prints the files of a directory with a suffix, below HOST and without it in the name; there may be none. What has an odd name is passed over.
files_in() {
    reach "$1" || return
    for found in "$HOST$1"/*"${2:-}"; do
        case $found in
            *[!A-Za-z0-9/._@:+-]*) ;;
            *) [ ! -f "$found" ] || printf '%s\n' "${found#"$HOST"}" ;;
        esac
    done
}

DF='one=$(df -Pk "$1") && two=$(df -Pi "$1") && printf "%s\n" "$one" | tail -n 1 && printf "%s\n" "$two" | tail -n 1'

filesystem() { ! is_new filesystem "$1" || missing filesystem "$1" || probe filesystem "$1" plain sh -c "$DF" sh "$(inside "$1")"; }

# Prints where network and FUSE file systems are mounted, escaped as in the mount table and, so that the shell expands nothing, patterns too.
remote_mounts() {
    awk '
        $3 !~ /^(nfs4?|cifs|smb3|ceph|glusterfs|9p|fuse|fuse[.].*)$/ || $2 ~ /\\012/ || seen[$2]++ { next }
        { gsub(/[*]/, "\\052", $2); gsub(/[?]/, "\\077", $2); gsub(/\[/, "\\133", $2); print $2 }' "$HOST/proc/1/mounts" 2>/dev/null
}

# Nothing but the probe itself looks at such a mount, and follows no link to it: where its server is gone, whoever does hangs.
mounted() {
    path=$(printf '%s\n' "$1" | sed 's/\\040/ /g;s/\\011/	/g;s/\\052/*/g;s/\\077/?/g;s/\\133/[/g;s/\\043/#/g;s/\\134/\\/g')
    ! is_new filesystem "$path" || probe filesystem "$path" plain sh -c "$DF" sh "$HOST$path"
}

# Prints the paths of the cgroups of containers, of cgroup v2 or of v1's cpu.
CGROUPS='
top=$1/sys/fs/cgroup
for each in "$top/cpu,cpuacct" "$top/cpu"; do [ ! -d "$each" ] || top=$each; done
[ -d "$top" ] || { echo "no such file" >&2; exit 1; }
[ -n "$(ls -A "$top")" ] || { echo "nothing is mounted there" >&2; exit 1; }
command -v find >/dev/null || exit 127
cd "$top" || exit
find . -type d 2>/dev/null | sed -n "s/^[.]//;/[0-9a-f]\{64\}/p"'

# Prints the paths of the other cgroups, of slices and services, three levels deep, each with its controllers: of cgroup v2, or the
# hierarchies of v1 that it is in. The first one is the root.
SERVICES='
top=$1/sys/fs/cgroup
[ -d "$top" ] || { echo "no such file" >&2; exit 1; }
command -v find >/dev/null || exit 127
listed() {
    find . -maxdepth 3 \( -name "*kubepods*" -o -name "*.scope" -o -name docker -o -name "lxc*" -o -name user.slice -o -name machine.slice -o \
        -name "*[!A-Za-z0-9_.:@\\\\-]*" \) -prune -o -type d -print 2>/dev/null | sed "s/^[.]//;s/^$/\//;/[0-9a-f]\{64\}/d"
}
if [ -f "$top/cgroup.controllers" ]; then
    cd "$top" || exit
    listed | while read -r path; do
        controllers=
        read -r controllers <"./$path/cgroup.controllers" 2>/dev/null
        printf "%s %s\n" "$path" "$controllers"
    done
    exit 0
fi
for name in cpu cpuacct cpuset memory systemd pids hugetlb; do
    [ ! -d "$top/$name" ] || (cd "$top/$name" && listed | sed "s/$/ $name/")
done | awk "
    !(\$1 in found) { order[++count] = \$1 }
    { found[\$1] = found[\$1] \" \" \$2 }
    END {
        if (!count) { print \"nothing is mounted there\" >\"/dev/stderr\"; exit 1 }
        for (n = 1; n <= count; n++) print order[n] found[order[n]]
    }"'

# Prints each process: its id, its parent's, its state and the name of its program.
PROCESSES='
for file in "$1"/[0-9]*/stat; do
    line=
    while read -r part || [ -n "$part" ]; do line="$line$part "; done <"$file"
    [ -n "$line" ] || continue
    name=${line#*(} rest=${line##*) }
    state=${rest%% *} rest=${rest#* }
    printf "%s\n" "${line%% *} ${rest%% *} $state ${name%)*}"
done 2>/dev/null; :'

# Prints the state and the cgroups of each process that is given as PID:CONTAINER, and of those that look gone once more a second
# later. Where no process of the node can be seen, as in a container without the node's /proc, that is what is printed.
PROCESS='
proc=$1
shift
look() {
    line= state= groups=
    while read -r part || [ -n "$part" ]; do line="$line$part "; done <"$proc/$1/stat"
    [ -n "$line" ] || return 1
    state=${line##*) }
    state=${state%% *}
    groups=$(cat "$proc/$1/cgroup")
}
show() {
    echo "probe $1"
    if [ -n "$state" ]; then
        printf "%s\n%s\n" "$state" "$groups" | sed "s/^/|/"
        echo "done"
    else
        echo gone
    fi
}
lives() {
    look "${1%%:*}"
    case $state:$groups in
        Z:* | X:* | :*) return 1 ;;
        *"${1#*:}"*) seen=yes ;;
        *) return 1 ;;
    esac
}
seen= again=
read -r name <"$proc/2/comm" && [ "$name" = kthreadd ] && seen=yes
for each; do
    lives "$each" && show "${each%%:*}" || again="$again $each"
done
if [ -z "$seen" ]; then
    for each in $again; do
        printf "probe %s\nproblem %s\n" "${each%%:*}" "the processes of the node cannot be seen from here"
    done
    exit 0
fi
for wait in 0 1; do
    [ -z "$again" ] || sleep $wait
    for each in $again; do
        look "${each%%:*}"
        show "${each%%:*}"
    done
done
:'

# Of a process that is not of the node itself nothing is read.
arguments() {
    of_root "$1" && own_namespaces "$1"
    case $? in
        0) probe arguments "$1" argv sh -c 'exec tr "\000\n\377" "\n \376" <"$1"' sh "$HOST/proc/$1/cmdline" ;;
        2) note arguments "$1" problem 'whether it is a process of the node is not known: its namespaces cannot be read' ;;
    esac
}

processes() { probe processes all plain sh -c "$PROCESSES" sh "$HOST/proc"; }

cgroups() {
    probe cgroups all plain sh -c "$CGROUPS" sh "$HOST"
    probe cgroups services plain sh -c "$SERVICES" sh "$HOST"
}

# Prints the ids of processes by the names of their programs, patterns.
pids() {
    for entry in "$HOST"/proc/[0-9]*; do
        name=
        read -r name 2>/dev/null <"$entry/comm" || continue
        for pattern; do
            # shellcheck disable=SC2254
            case $name in
                $pattern) printf '%s\n' "${entry##*/}" ;;
            esac
        done
    done
}

# own_namespaces PID: whether a process is in the mount and user namespaces of the node's first process. Returns 2 where that cannot be
# read, for which CAP_SYS_PTRACE is needed.
own_namespaces() {
    for space in mnt user; do
        [ "$space" = mnt ] || [ -L "$HOST/proc/1/ns/$space" ] || continue
        own=$(readlink "$HOST/proc/$1/ns/$space" 2>/dev/null)
        first=$(readlink "$HOST/proc/1/ns/$space" 2>/dev/null)
        if [ -z "$own" ] || [ -z "$first" ]; then
            [ -d "$HOST/proc/$1" ] || return 1
            return 2
        fi
        [ "$own" = "$first" ] || return 1
    done
}

# of_root PID: whether all users of a process are root, and it has not ended. Sets its parent.
of_root() {
    parent='' users='' state=''
    while read -r word rest; do
        case $word in
            State:) state=$rest ;;
            PPid:) parent=$rest ;;
            Uid:)
                users=$rest
                break
                ;;
        esac
    done 2>/dev/null <"$HOST/proc/$1/status"
    case $state in [ZX]*) return 1 ;; esac
    # shellcheck disable=SC2086 # numbers
    set -- ${users:-none}
    [ "$*" = '0 0 0 0' ]
}

# outside_containers PID: whether a process is in the cgroup of no container and no pod. What is above the cgroup of the first process does not count:
# the node itself may be a container. Seen from a container, what is not below the same "..", is not the node's.
outside_containers() {
    awk '
        BEGIN {
            h = "[0-9a-f][0-9a-f][0-9a-f][0-9a-f]"
            of_container = "/(kubepods[^/]*|docker/.*|docker-[^/]*[.]scope|cri-containerd[-:][^/]*|crio-[^/]*|libpod[^/]*|lxc([.-][^/]*)?|lxc/.*|machine[.]slice|k8s[.]io|[.][.])(/|$)"
            identity = "[/:-]" h h h h h h h h h h h h h h h h "([./]|$)"
            pod = "[/-]pod" h h "[-_]" h "[-_]"
        }
        { split($0, part, ":"); key = part[2]; path = $0; sub(/^[^:]*:[^:]*:/, "", path) }
        FILENAME == ARGV[1] { sub(/\/init[.]scope$/, "", path); sub(/\/$/, "", path); top[key] = path; next }
        key in top && index(path "/", top[key] "/") == 1 { path = substr(path, length(top[key]) + 1); key = "-" }
        key in top && top[key] ~ /[.][.]/ { found = 1 }
        path ~ of_container || path ~ identity || path ~ pod { found = 1 }
        END { exit found || !NR }' "$HOST/proc/1/cgroup" "$HOST/proc/$1/cgroup" 2>/dev/null
}

# Whether a program that does other things too runs as a kubelet.
runs_kubelet() {
    read -r called 2>/dev/null <"$HOST/proc/$1/comm"
    # k3s hides its arguments: its title is one of them, with a blank in it.
    second=$(tr '\n\000' '  ' 2>/dev/null <"$HOST/proc/$1/cmdline" | sed 's/^[^ ]* *//; s/ .*//')
    case $called:$second in
        kubelet:* | kubelite:*) return 0 ;;
        hyperkube:kubelet | k3s*:server | k3s*:agent) return 0 ;;
    esac
    return 1
}

# Looks for the process of the kubelet, and sets its id and its arguments, one per line; or doubt, why it is not known. Anybody may choose a
# name for a process: what is not the node's own does not count, and of two candidates neither does.
find_kubelet() {
    kubelet='' doubt='' given='' unseen='' candidates=' ' parents=''
    for pid in $(pids kubelet kubelite hyperkube k3s k3s-server k3s-agent); do
        ! { of_root "$pid" && outside_containers "$pid" && runs_kubelet "$pid"; } || {
            ancestor=$parent
            own_namespaces "$pid"
            case $? in
                0) candidates="$candidates$pid " parents="$parents $pid:$ancestor" ;;
                2) unseen="$unseen, $pid" ;;
            esac
        }
    done
    # What a kubelet has just started still has its name.
    found=
    for pid in $parents; do
        case $candidates in *" ${pid#*:} "*) ;; *) found="$found ${pid%:*}" ;; esac
    done
    # shellcheck disable=SC2086 # ids
    set -- $found
    if [ -n "$unseen" ]; then
        doubt="whether process ${unseen#, } is the kubelet is not known: its namespaces cannot be read, which needs root and CAP_SYS_PTRACE"
    elif [ $# -gt 1 ]; then
        number=$#
        [ $# -gt 2 ] || number=two
        doubt="$number processes could be the kubelet: pids $(printf '%s' "$*" | sed 's/ /, /g'); neither is believed: end the one that is not the kubelet"
    elif [ $# -eq 1 ]; then
        kubelet=$1
        given=$(tr '\n\000' ' \n' 2>/dev/null <"$HOST/proc/$1/cmdline")
        called=
        read -r called 2>/dev/null <"$HOST/proc/$1/comm"
        microk8s=/var/snap/microk8s/current/args/kubelet
        if [ "$called" = kubelite ] && reach "$microk8s" && [ -f "$HOST$real" ]; then
            given=$(microk8s_arguments <"$HOST$real")
        fi
    fi
}

# Prints the arguments of the kubelet within kubelite of MicroK8s, one per line, as kubelite takes them from their file, with snapd's variables.
microk8s_arguments() {
    echo kubelet
    awk -v names='SNAP_DATA SNAP_COMMON SNAP' -v places='/var/snap/microk8s/current /var/snap/microk8s/common /snap/microk8s/current' '
        BEGIN { count = split(names, name, " "); split(places, place, " ") }
        { gsub(/^[ \t\r]+|[ \t\r]+$/, "") }
        /^#/ { next }
        {
            gsub(/["\047]/, "")
            for (i = 1; i <= count; i++) {
                gsub("[$][{]" name[i] "[}]", place[i])
                gsub("[$]" name[i], place[i])
            }
            words = split($0, word, " ")
            for (i = 1; i <= words; i++) print word[i]
        }'
}

# Prints the value of a flag of the kubelet.
flag() {
    printf '%s\n' "$given" | awk -v flag="$1" '
        { word = $0; sub(/^--?/, "", word); sign = index(word, "="); key = sign ? substr(word, 1, sign - 1) : word; gsub(/_/, "-", key) }
        before == flag { value = $0 }
        sign && key == flag { value = substr(word, sign + 1) }
        { before = $0 ~ /^-/ && !sign ? key : "" }
        END { print value }'
}

kubelet_process() {
    if [ -n "$doubt" ]; then
        note arguments kubelet problem "$doubt"
    elif [ -z "$kubelet" ]; then
        note arguments kubelet gone
    else
        case $given in
            *kubelet*) kept arguments kubelet argv "$given" ;;
            *)
                note arguments kubelet problem "the kubelet is a part of another program, $(printf '%s\n' "$given" | sed -n 1p | cut -c1-80)"
                case $called in k3s*) within_k3s ;; esac
                ;;
        esac
    fi
    release
}

# What k3s is given for its kubelet, as arguments of that: by its unit, and by its files, where the unit has no such flag.
within_k3s() {
    unit='' files=''
    for name in k3s k3s-agent; do
        for each in $UNITS; do [ -n "$unit" ] || [ ! -f "$HOST$each/$name.service" ] || unit=$name; done
    done
    for each in /etc/rancher/k3s/config.yaml $(files_in /etc/rancher/k3s/config.yaml.d); do
        case $each in *.yaml | *.yml) ;; *) continue ;; esac
        if ! reach "$each"; then
            note arguments k3s problem "$why"
            return
        fi
        [ ! -f "$HOST$real" ] || files="$files $HOST$real"
    done
    own=$([ -z "$unit" ] || for each in $(unit_files "$unit"); do
        ! { reach "$each" && [ -f "$HOST$real" ]; } || cat "$HOST$real"
        echo
    done 2>/dev/null)
    # The empty line ends a command that is continued at the end of its unit, as the installer of k3s writes it.
    # shellcheck disable=SC2086 # paths without blanks
    if own=$(printf '%s\n\n' "$own" | awk "$OF_K3S" - $files 2>/dev/null); then
        kept arguments k3s argv "$own"
    else
        note arguments k3s problem 'its unit and its files are not in a form that is read'
    fi
}

# Flags of k3s take the place of what its files have, and each file of what those before it have, unless its key ends with +.
# shellcheck disable=SC2016 # of awk
OF_K3S='
    BEGIN {
        split("kubelet-arg node-label container-runtime-endpoint protect-kernel-defaults", order, " ")
        form["kubelet-arg"] = "--"; form["node-label"] = "--node-labels="
        for (i = 3; i <= 4; i++) form[order[i]] = "--" order[i] "="
    }
    function wrong() { failed = 1; exit 1 }
    function plain(value,   q) {
        q = substr(value, 1, 1)
        if (q == "\"" || q == "\047") {
            value = substr(value, 2)
            return index(value, q) ? substr(value, 1, index(value, q) - 1) : wrong()
        }
        sub(/[ \t]+#.*/, "", value); sub(/[ \t\r]+$/, "", value)
        return value
    }
    function add(key, value) { found[key] = found[key] form[key] value "\n" }
    # The command of the unit, word by word.
    function command(line,   n, word, i, key, value) {
        if (line ~ /[$%]/) wrong()
        n = 0
        while (match(line, /^[ \t]*("[^"]*"|\047[^\047]*\047|[^ \t"\047]+)+/)) {
            word[++n] = substr(line, 1, RLENGTH); line = substr(line, RLENGTH + 1)
            gsub(/^[ \t]+|["\047]/, "", word[n])
        }
        if (n < 2) wrong()
        for (i = 2; i <= n; i++) {
            if (word[i] !~ /^-/) continue
            key = word[i]; sub(/^--?/, "", key); value = "true"
            if (index(key, "=")) { value = substr(key, index(key, "=") + 1); key = substr(key, 1, index(key, "=") - 1) }
            else if (i < n && word[i + 1] !~ /^-/) value = word[i + 1]
            if (key == "config" || key == "c") wrong()
            if (key in form) flag[key] = flag[key] form[key] value "\n"
        }
    }
    FILENAME == "-" || FILENAME == "" {
        while (sub(/\\$/, " ") && (getline more) > 0) $0 = $0 more
        if (sub(/^[ \t]*ExecStart[ \t]*=[ \t]*/, "")) { sub(/^[-@:+!|]+/, ""); started = $0 }
        next
    }
    FNR == 1 { wanted = "" }
    /^[ \t]*(#.*)?\r?$/ || /^---/ { next }
    /^[^ \t#-]/ {
        if ($0 !~ /^["\047]?[A-Za-z0-9-]+[+]?["\047]?[ \t]*:/) wrong()
        key = $0; sub(/:.*/, "", key); gsub(/["\047 \t]/, "", key)
        value = $0; sub(/^[^:]*:[ \t]*/, "", value); value = plain(value)
        appends = sub(/[+]$/, "", key)
        wanted = key in form ? key : ""
        if (wanted == "") next
        if (!appends) found[key] = ""
        if (value ~ /^\[.*\]$/) {
            n = split(substr(value, 2, length(value) - 2), each, /[ \t]*,[ \t]*/)
            for (i = 1; i <= n; i++) add(key, plain(each[i]))
        } else if (value ~ /^[[{|>&*!]/) wrong()
        else if (value != "") add(key, value)
        next
    }
    wanted != "" && /^[ \t]*-[ \t]+/ { value = $0; sub(/^[ \t]*-[ \t]+/, "", value); add(wanted, plain(value)); next }
    wanted != "" { wrong() }
    END {
        if (failed) exit 1
        command(started)
        printf "k3s\n"
        for (i = 1; i <= 4; i++) printf "%s", order[i] in flag ? flag[order[i]] : found[order[i]]
    }'

# Prints the kubelet's unit and its drop-ins as systemd reads them: the first unit, and by their names the first drop-in of each.
unit_files() {
    for unit in $UNITS; do
        [ -f "$HOST$unit/${1:-kubelet}.service" ] || continue
        printf '%s\n' "$unit/${1:-kubelet}.service"
        break
    done
    for unit in $UNITS; do
        files_in "$unit/${1:-kubelet}.service.d" .conf
    done | awk -F/ '
        !($NF in path) { path[$NF] = $0; for (i = ++n; i > 1 && name[i - 1] > $NF; i--) name[i] = name[i - 1]; name[i] = $NF }
        END { for (i = 1; i <= n; i++) print path[name[i]] }'
}

# Prints the program that the kubelet's unit starts.
unit_program() {
    for each in $(unit_files); do
        ! { reach "$each" && [ -f "$HOST$real" ]; } || cat "$HOST$real"
        echo
    done 2>/dev/null | awk '
        { while (sub(/\\$/, " ") && (getline more) > 0) $0 = $0 more }
        sub(/^[ \t]*ExecStart[ \t]*=[ \t]*/, "") { sub(/^[-@:+!|]+/, ""); program = $1 }
        END { if (program ~ /^\/[A-Za-z0-9_.\/@:+-]+$/) print program }'
}

# Where kubelets and programs with one in them usually are.
PROGRAMS='/usr/bin/kubelet /usr/local/bin/kubelet /opt/bin/kubelet /usr/sbin/kubelet /opt/kubernetes/bin/kubelet /home/kubernetes/bin/kubelet
/var/lib/rancher/rke2/bin/kubelet /var/lib/k0s/bin/kubelet /usr/bin/hyperkube /usr/local/bin/hyperkube /opt/bin/hyperkube
/var/lib/rancher/k3s/data/current/bin/k3s /usr/local/bin/k3s'

# own_disk PATH: whether a file is on a disk of the node, and not on what a pod or a server has mounted there.
own_disk() {
    awk -v path="$1" '
        index(path, ($2 == "/" ? "" : $2) "/") == 1 && length($2) >= longest { longest = length($2); where = $2; type = $3 }
        END { exit !(where == "/" || type ~ /^(bcachefs|btrfs|composefs|erofs|ext[234]|f2fs|squashfs|xfs|zfs)$/ || type == "overlay" && where ~ /^\/(usr|opt)$/) }' "$HOST/proc/1/mounts" 2>/dev/null
}

# Asks the kubelet's program for its release: the file that its unit names or that is at a usual place, if nobody but root may write to it,
# and if it is the one that runs. Nothing that is found in /proc is executed, and nothing of a node that is mounted below HOST.
release() {
    running='' refused='' any=$kubelet
    if [ -n "$doubt" ]; then
        note version kubelet problem "$doubt"
        return
    fi
    [ -z "$kubelet" ] || running=$(readlink "$HOST/proc/$kubelet/exe" 2>/dev/null)
    for program in $(unit_program) $PROGRAMS; do
        { resolve "$program" && [ -f "$HOST$real" ]; } || continue
        any=yes
        if [ -n "$kubelet" ] && [ "$running" != "$real" ]; then continue; fi
        case $real in
            */pods/* | */plugins/* | */io.containerd.* | */storage/* | /proc/* | /run/* | /tmp/* | /var/tmp/* | /dev/*) continue ;;
            */kubelet | */k3s | */hyperkube) ;;
            *) continue ;;
        esac
        if ! own_disk "$real"; then
            refused="$real is not executed: it is on no disk of the node"
            continue
        fi
        if ! owned group; then
            refused="$real is not executed: $why"
            continue
        fi
        if [ -n "$HOST" ]; then
            refused='nothing of a mounted node is executed'
            continue
        fi
        probe version kubelet plain sh -c '
            case $1 in */hyperkube) set -- "$1" kubelet ;; esac
            found=$("$@" --version) || exit
            printf "%s\n" "$found" | sed -n "s/^k3s version \([^ ]*\).*/Kubernetes \1/;s/^\(v[0-9][^ ]*\)$/Kubernetes \1/;1p"' sh "$real"
        return
    done
    if [ -z "$any" ]; then
        note version kubelet gone
    else
        note version kubelet problem "the release is not known: ${refused:-the program that runs is neither the one of its unit nor at a usual place}; give the Node object or --from"
    fi
}

# --- The CRI --------------------------------------------------------------------------------------------------------------------------

# Prints a line per container or sandbox: its id, its task, when it was created, and what containerd keeps of it for the CRI. The labels of
# an image are among those of a container, and have names of a tenant's choice: only the indentation parts them from what is containerd's.
CTR='
ctr() { command ctr -a "$socket" -n k8s.io "$@"; }
socket=$1
tasks=$(ctr tasks ls) || exit
ids=$(ctr containers ls -q "labels.\"io.cri-containerd.kind\"==$2") || exit
for id in $ids; do
    about=$(ctr containers info "$id") || continue
    task=$(printf "%s\n" "$tasks" | awk -v id="$id" "\$1 == id { print \$3 }")
    created=$(printf "%s\n" "$about" | sed -n "s/^    \"CreatedAt\": \"\([^\" ]*\)\".*/\1/p" | sed -n 1p)
    printf "%s %s %s " "$id" "${task:-NONE}" "$created"
    printf "%s\n" "$about" | sed -n "/^    \"Extensions\": {/,/^    }/{
        /^        \"io[.]cri-containerd[.]$2[.]metadata\": {/,/^        }/s/^            \"value\": \"\([A-Za-z0-9+\/=]*\)\".*/\1/p
    }" | base64 -d | tr "\n" " "
    echo
done'

by_crictl() {
    way=$1 name=$2 how=$3
    shift 3
    probe "$way" "$name" "$how" crictl --runtime-endpoint "unix://$socket" --timeout "$((EACH * 2))s" "$@"
}

cri_containers() {
    case $client in
        crictl) by_crictl cri containers crictl ps -a -o json ;;
        ctr)
            patience=$((EACH * 6))
            probe cri containers ctr sh -c "$CTR" sh "$socket" container
            ;;
        *) note cri containers problem "crictl is not on this node" ;;
    esac
}

cri_pods() {
    case $client in
        crictl) by_crictl cri pods crictl pods -o json ;;
        ctr)
            patience=$((EACH * 6))
            probe cri pods ctr sh -c "$CTR" sh "$socket" sandbox
            ;;
        *) note cri pods problem "crictl is not on this node" ;;
    esac
}

cri_sandbox() { by_crictl cri "inspectp $1" status inspectp -o json "$1"; }
cri_inspect() { by_crictl cri "inspect $1" inspect inspect -o json "$1"; }
cri_ended() { by_crictl cri "ended $1" inspect inspect -o json "$1"; }
cri_stats() { by_crictl cri "stats $1" crictl stats -o json --id "$1"; }

# How far an answer is one of the kubelet's runtime: 0 none, 1 an answer without any container of it, else by how many run.
rank() {
    case $1 in
        *'"problem":'*) echo 0 ;;
        *'\"io.kubernetes.container.name\"'* | *'/k8s_'*) printf '%s\n' "$1" | awk '{ print 2 + gsub(/CONTAINER_RUNNING|\\"State\\":\\"running/, "") }' ;;
        *) echo 1 ;;
    esac
}

# Asks every socket for its containers, and writes the answer of the one with most that run.
cri() {
    client=none best='' most=-1 chosen=''
    ! command -v ctr >/dev/null || client=ctr
    ! command -v crictl >/dev/null || client=crictl
    for socket in ${RUNTIME_ENDPOINT:-$SOCKETS}; do
        socket=${socket#unix://}
        [ -n "${RUNTIME_ENDPOINT:-}" ] || socket=$HOST$socket
        [ -S "$socket" ] || [ -n "${RUNTIME_ENDPOINT:-}" ] || continue
        found=$(cri_containers)
        running=$(rank "$found")
        if [ "$running" -gt "$most" ]; then best=$found most=$running chosen=$socket; fi
    done
    socket=$chosen
    if [ -z "$socket" ]; then
        for name in containers pods; do note cri $name gone; done
        note endpoint cri gone
        return
    fi
    note endpoint cri text "$socket"
    show "$best"
    pods=$(cri_pods)
    show "$pods"
    [ "$client" = crictl ] || return
    # shellcheck disable=SC2046 # ids
    [ "$most" -lt 2 ] || batches cri_sandbox $(ids_in "$pods")
    # shellcheck disable=SC2046
    [ "$most" -lt 2 ] || batches cri_ended $(ended_in "$best")
}

# Prints the ids of a list of crictl in a probe.
ids_in() { printf '%s\n' "$1" | awk '{ gsub(/\\n/, "\n"); print }' | sed -n 's/^ \{6\}\\"id\\": \\"\([0-9A-Za-z][0-9A-Za-z_.-]*\)\\".*/\1/p'; }

# Prints the ids of containers that run.
running_in() {
    printf '%s\n' "$1" | awk '{ gsub(/\\n/, "\n"); gsub(/\\"/, "\""); print }' | awk '
        /^      "id": / { id = $2; gsub(/[",]/, "", id) }
        /^      "state": "CONTAINER_RUNNING"/ && id ~ /^[0-9A-Za-z][0-9A-Za-z_.-]*$/ { print id }'
}

# Prints the ids of containers that ended and were not created again, of each the newest one: their exit codes decide about others.
ended_in() {
    printf '%s\n' "$1" | awk '{ gsub(/\\n/, "\n"); gsub(/\\"/, "\""); print }' | awk '
        function value() { gsub(/[",]/, "", $2); return $2 }
        /^      "id": / { id = value(); of = ""; attempt = 0 }
        /^      "podSandboxId": / { sandbox = value() }
        /^        "name": / && of == "" { of = sandbox "/" value() }
        /^        "attempt": / { attempt = value() + 0 }
        /^      "state": / && id ~ /^[0-9A-Za-z][0-9A-Za-z_.-]*$/ {
            if (value() != "CONTAINER_EXITED") runs[of] = 1
            else if (!(of in newest) || attempt > newest[of]) { newest[of] = attempt; ended[of] = id }
        }
        END { for (of in ended) if (!(of in runs) && n++ < 200) print ended[of] }'
}

cri_for_preflight() {
    if [ -z "$socket" ]; then
        for name in version info images; do note cri $name gone; done
        return
    elif [ "$client" != crictl ]; then
        for name in version info images; do note cri $name problem "crictl is not on this node"; done
        return
    fi
    by_crictl cri version version version
    by_crictl cri images crictl images -o json
    about=$(by_crictl cri info secrets info)
    show "$about"
    runtime_root "$about" containerdRootDir
    network_directory "$(printf '%s\n' "$about" | sed -n 's/.*\\"confDir\\": *\\"\(\/[^"\\]*\)\\".*/\1/p')"
    for each in $(plugin_directories "$about"); do directory "$each"; done
    running=$(running_in "$best")
    # shellcheck disable=SC2086 # ids
    inspected=$(batches cri_inspect $running)
    show "$inspected"
    # shellcheck disable=SC2086
    batches cri_stats $running
    # shellcheck disable=SC2046
    process_of $(printf '%s\n' "$inspected" | sed -n 's/.*"name":"inspect \([^"]*\)".*\\"pid\\": *\([1-9][0-9]*\).*/\2:\1/p')
}

# The file system of a runtime that keeps its images elsewhere than usual.
runtime_root() {
    path=$(printf '%s\n' "$1" | sed -n 's/.*\\"'"$2"'\\": *\\"\(\/[^"\\]*\)\\".*/\1/p')
    case $path in
        '' | /var/lib/docker | /var/lib/containerd | *[!A-Za-z0-9/._@:+-]* | */../*) ;;
        *) filesystem "$path" ;;
    esac
}

# The configuration of CNI where it is kept elsewhere than usual.
network_directory() {
    case $1 in
        '' | /etc/cni/net.d | /var/lib/rancher/*/agent/etc/cni/net.d | /var/snap/microk8s/current/args/cni-network) ;;
        *) networks "$1" ;;
    esac
}

# Prints the directories of CNI plugins that a runtime reports: one of containerd 1, or a list of containerd 2.
plugin_directories() {
    printf '%s\n' "$1" | awk '{ gsub(/\\n/, "\n"); gsub(/\\"/, "\""); print }' | sed -n '
        s/^ *"binDir": *"\(\/[A-Za-z0-9._@:+/-]*\)".*/\1/p
        /^ *"binDirs": *\[/,/\]/s/^ *"\(\/[A-Za-z0-9._@:+/-]*\)",\{0,1\}$/\1/p'
}

process_of() { [ $# -eq 0 ] || probe processes gone tasks sh -c "$PROCESS" sh "$HOST/proc" "$@"; }

# --- Docker ---------------------------------------------------------------------------------------------------------------------------

NAMES='docker.type container.name pod.name pod.namespace pod.uid sandbox.id container.hash'
LONG='annotation.io.kubernetes.container.hash annotation.io.kubernetes.container.hashWithoutResources annotation.io.kubernetes.container.restartCount'

# Lists the labels explicitly, because dockershim also stored all annotations as labels. $1: what gives the label %s.
labels() {
    comma=
    for name in $NAMES $LONG; do
        case $name in annotation*) ;; *) name=io.kubernetes.$name ;; esac
        # shellcheck disable=SC2059 # the format is ours
        printf "$comma\"%s\":{{json ($1)}}" "$name" "$name"
        comma=,
    done
}

# $1: a field of the networks, which Docker's client knows from 1.13 on.
listed() {
    printf '{"Id":{{json .ID}},"Names":[{{json (printf "/%%s" .Names)}}],"Created":{{json .CreatedAt}},"State":"","Status":{{json .Status}},'
    printf '"HostConfig":{"NetworkMode":%s},"Labels":{' "$1"
    labels '.Label "%s"'
    printf '}}\n'
}

inspected() {
    printf '{"Id":{{json .Id}},"Name":{{json .Name}},"Created":{{json .Created}},"State":{"Running":{{json .State.Running}},'
    printf '"Paused":{{json .State.Paused}},"Restarting":{{json .State.Restarting}},"Dead":{{json .State.Dead}},"Pid":{{json .State.Pid}},'
    printf '"ExitCode":{{json .State.ExitCode}},"StartedAt":{{json .State.StartedAt}},"FinishedAt":{{json .State.FinishedAt}}},'
    printf '"HostConfig":{"NetworkMode":{{json .HostConfig.NetworkMode}},"CgroupParent":{{json .HostConfig.CgroupParent}}},"Config":{"Labels":{'
    labels 'index .Config.Labels "%s"'
    printf '}}}\n'
}

LIST='
docker ps -a --no-trunc --format "$1" 2>/dev/null || exec docker ps -a --no-trunc --format "$2"'

docker_inspect() { probe docker "inspect $1" rows docker inspect --type container --format "$TEMPLATE" "$1"; }

# Docker's client is asked, so that any version of both will do; what hangs for one container does not for the list.
docker_list() {
    dockerd='' no_docker='problem'
    case $DOCKER_HOST in
        unix://*)
            if ! [ -S "${DOCKER_HOST#unix://}" ]; then
                no_docker='gone'
                note docker list gone
                note endpoint docker gone
                return
            fi
            ;;
    esac
    note endpoint docker text "$DOCKER_HOST"
    if ! command -v docker >/dev/null; then
        note docker list problem "docker is not on this node"
        return
    fi
    dockerd=$(probe docker list rows sh -c "$LIST" sh "$(listed '{{json .Networks}}')" "$(listed '""')")
    show "$dockerd"
}

docker_for_preflight() {
    if [ -z "$dockerd" ]; then
        for name in version info images; do note docker $name $no_docker 'docker is not on this node'; done
        return
    fi
    probe docker version secrets docker version --format '{{json .Server}}'
    about=$(probe docker info info sh -c "docker info --format '{{json .}}' 2>/dev/null || exec docker info")
    show "$about"
    runtime_root "$about" DockerRootDir
    probe docker images rows docker images --no-trunc --format '{"RepoTags":[{{json (printf "%s:%s" .Repository .Tag)}}]}'
    TEMPLATE=$(inspected)
    # shellcheck disable=SC2046 # ids
    inspected=$(batches docker_inspect $(printf '%s\n' "$dockerd" | awk '{ gsub(/\\n/, "\n"); print }' | sed -n 's/.*{\\"Id\\":\\"\([0-9a-f]*\)\\".*/\1/p'))
    show "$inspected"
    # shellcheck disable=SC2046
    process_of $(printf '%s\n' "$inspected" | sed -n 's/.*"name":"inspect \([^"]*\)".*\\"Running\\":true.*\\"Pid\\":\([1-9][0-9]*\),.*/\2:\1/p')
}

# --- The dump -------------------------------------------------------------------------------------------------------------------------

# The directories that a kubelet may keep its state in.
roots() {
    root=${KUBELET_ROOT:-}
    [ -n "$root" ] || root=$(flag root-dir)
    root=${root%"${root##*[!/]}"}
    case $root in *[!A-Za-z0-9/._@:+-]*) root= ;; esac
    some=
    for each in ${root:-$ROOTS}; do
        ! { resolve "$each" && [ -d "$HOST$real" ]; } || some="$some$each "
    done
    printf '%s' "${some:-${root:-/var/lib/kubelet}}"
}

# Prints the directories that the usual ones are links to, and the one that was given.
places_of_roots() {
    printf '%s ' "${KUBELET_ROOT:-}"
    for each in ${KUBELET_ROOT:-} $ROOTS; do
        ! { resolve "$each" && [ -d "$HOST$real" ] && owned others; } || printf '%s ' "$real"
    done
}

# Prints the files that the units of the kubelet name for its environment, but for those in a list; no patterns and specifiers of systemd.
files_of_variables() {
    for unit in $UNITS; do
        for each in "$unit/kubelet.service" $(files_in "$unit/kubelet.service.d" .conf); do
            ! { reach "$each" && [ -f "$HOST$real" ]; } || cat "$HOST$real"
        done
    done 2>/dev/null | awk -v known="$1" '
        !sub(/^[ \t]*EnvironmentFile[ \t]*=[ \t]*-?/, "") { next }
        { sub(/[ \t\r]+$/, "") }
        /^\/[^ \t*?[%]*$/ && !index(known, " " $0 " ") && !seen[$0]++'
}

# The ids of pods with user namespaces: what their kubelet recorded in the directory of each, in a line behind its UID. Of these
# directories, below which pods write, nothing else is looked at, and no link is followed.
MAPPINGS='for each in "$1"/*/userns; do
    pod=${each%/userns}
    [ -f "$each" ] && [ ! -L "$each" ] && [ ! -L "$pod" ] && [ -O "$each" ] || continue
    printf "%s %s\n" "${pod##*/}" "$(awk "NR == 1 { gsub(/[^][A-Za-z0-9{}\":,]/, \"\"); print substr(\$0, 1, 1000) }" "$each")"
done'

mappings() {
    is_new mappings "$1/pods" || return 0
    if ! reach "$1"; then
        note mappings "$1/pods" problem "$why"
    elif [ -d "$HOST$real/pods" ] && [ ! -L "$HOST$real/pods" ]; then
        probe mappings "$1/pods" plain sh -c "$MAPPINGS" sh "$HOST$real/pods"
    else
        note mappings "$1/pods" gone
    fi
}

kubelet_files() {
    for each in $1; do
        file "$each/kubeadm-flags.env" env
        for name in cpu_manager_state memory_manager_state dra_manager_state pod_status_manager_state allocated_pods_state; do
            state_file "$each/$name"
        done
        file "$each/device-plugins/kubelet_internal_checkpoint" device
        filesystem "$each"
        directory "$each/pki"
        mappings "$each"
    done
    variables='/etc/default/kubelet /etc/sysconfig/kubelet'
    case " $1 " in *' /var/lib/kubelet '*) ;; *) variables="/var/lib/kubelet/kubeadm-flags.env $variables" ;; esac
    for each in $variables; do settings "$each"; done
    for each in $UNITS; do
        settings "$each/kubelet.service"
        directory "$each/kubelet.service.d"
        # shellcheck disable=SC2046 # paths without blanks
        batches settings $(files_in "$each/kubelet.service.d" .conf)
    done
    # shellcheck disable=SC2046,SC2086
    batches settings $(files_of_variables " $(printf '%s/kubeadm-flags.env ' $1)$variables /etc/os-release ")
    config=$(flag config)
    configuration "${config:-${1%% *}/config.yaml}"
    manifests=$(flag pod-manifest-path)
    [ -n "$manifests" ] || manifests=$(static_pods "${config:-${1%% *}/config.yaml}")
    [ -z "$manifests" ] || directory "$manifests"
    credential_providers
    for name in cloud-config bootstrap-kubeconfig; do
        config=$(flag "$name")
        [ -n "$config" ] || continue
        if is_place "$config"; then there "$config"; else note path "$config" problem 'not read: the files of a kubelet are elsewhere, see READ_ALSO'; fi
    done
    config=$(flag config-dir)
    [ -z "$config" ] || drop_ins "$config"
}

# The files of --config-dir: a kubelet goes down into directories, and follows no link to one. What is neither a directory nor a drop-in is
# named with its kind, so that it is not taken for a directory that was not read.
drop_ins() {
    waiting=${1%"${1##*[!/]}"} drop_ins='' most=50
    while [ -n "$waiting" ] && [ "$most" -gt 0 ]; do
        each=${waiting%% *}
        waiting=${waiting#"$each"}
        waiting=${waiting# }
        most=$((most - 1))
        directory "$each"
        { reach "$each" && [ -d "$HOST$real" ]; } || continue
        for found in "$HOST$real"/* "$HOST$real"/.[!.]* "$HOST$real"/..?*; do
            name=${found##*/}
            kind=other
            [ ! -f "$found" ] || kind='file'
            [ ! -d "$found" ] || kind=directory
            if [ -L "$found" ]; then kind=other; elif [ ! -e "$found" ]; then continue; fi
            case $kind:$name in
                directory:*[!A-Za-z0-9._@:+-]*) ;;
                directory:*) waiting="$waiting${waiting:+ }$each/$name" ;;
                *[!A-Za-z0-9._@:+-]*.conf) ;;
                *.conf) drop_ins="$drop_ins $each/$name" ;;
                *) note path "$each/$name" text "$kind" ;;
            esac
        done
    done
    # shellcheck disable=SC2086 # paths without blanks
    batches configuration $drop_ins
}

# The directory of static pods that a configuration file names.
static_pods() {
    ! { reach "$1" && [ -f "$HOST$real" ]; } || sed -n 's/^ *"\{0,1\}staticPodPath"\{0,1\} *: *"\{0,1\}\(\/[A-Za-z0-9._@:+/-]*\)"\{0,1\},\{0,1\} *$/\1/p' "$HOST$real" 2>/dev/null | sed -n 1p
}

# The names of credential providers, in a file or in a directory of files, and the names of programs.
credential_providers() {
    config=$(flag image-credential-provider-config)
    if [ -n "$config" ]; then
        if reach "$config" && [ -d "$HOST$real" ]; then
            directory "$config"
            # shellcheck disable=SC2046 # paths without blanks
            batches providers $(files_in "$config" .json) $(files_in "$config" .yaml) $(files_in "$config" .yml)
        else
            providers "$config"
        fi
    fi
    config=$(flag image-credential-provider-bin-dir)
    [ -z "$config" ] || directory "$config"
}

kubelet_certificates() {
    user=$(flag kubeconfig)
    authority=$(flag client-ca-file)
    for each in $1; do
        for name in kubelet-client-current.pem kubelet-server-current.pem kubelet.crt; do certificate "$each/pki/$name"; done
    done
    for each in ${authority:-/etc/kubernetes/pki/ca.crt} $(flag tls-cert-file) /var/lib/rancher/k3s/agent/client-kubelet.crt /var/lib/rancher/rke2/agent/client-kubelet.crt; do
        certificate "$each"
    done
    user=${user:-/etc/kubernetes/kubelet.conf}
    certificate_of "$user"
}

# The certificate of a client, in a kubeconfig or in a file that it names.
certificate_of() {
    is_new certificate "$1" || return 0
    if ! reach "$1"; then
        note certificate "$1" problem "$why"
        return
    fi
    ! missing certificate "$1" || return
    named=$(sed -n 's/^ *client-certificate: *//p' "$HOST$real" 2>/dev/null | tr -d '"\r'"'" | sed -n 1p)
    case $named in
        '' | /*) ;;
        *) named=${1%/*}/$named ;;
    esac
    if [ -n "$(sed -n 's/^ *client-certificate-data: *//p' "$HOST$real" 2>/dev/null)" ]; then
        probe certificate "$1" pem sh -c 'sed -n "s/^ *client-certificate-data: *//p" "$1" | sed -n 1p | base64 -d' sh "$HOST$real"
    elif [ -n "$named" ] && ! reach "$named"; then
        note certificate "$1" problem "the certificate that it names is $why"
    else
        probe certificate "$1" pem sh -c "$TEXT" sh "$HOST$real"
    fi
}

runtime_files() {
    for each in /etc/containerd/config.toml /etc/k0s/containerd.toml /run/k0s/containerd-cri.toml /var/snap/microk8s/current/args/containerd.toml /etc/docker/daemon.json /etc/crio/crio.conf; do
        secret_file "$each"
    done
    for each in $RANCHER; do
        secret_file "$each/agent/etc/containerd/config.toml"
        networks "$each/agent/etc/cni/net.d"
        directory "$each/data"
    done
    for each in /etc/containerd/conf.d /etc/k0s/containerd.d /etc/crio/crio.conf.d; do
        directory "$each"
        # shellcheck disable=SC2046
        batches secret_file $(files_in "$each" .toml) $(files_in "$each" .conf)
    done
    for each in /etc/cni/net.d /var/snap/microk8s/current/args/cni-network; do networks "$each"; done
    for each in /opt/cni/bin /usr/libexec/cni /usr/lib/cni /var/snap/microk8s/current/opt/cni/bin; do directory "$each"; done
    for each in /var/lib/dockershim/sandbox /var/lib/cri-dockerd/sandbox; do
        directory "$each"
        # shellcheck disable=SC2046
        batches state_file $(files_in "$each")
    done
    for each in / /var/lib/containerd /var/lib/docker /var/lib/containers/storage /run; do filesystem "$each"; done
}

host_files() {
    host_file /etc/os-release
    host_file /proc/1/mounts mounts
    for each in swaps meminfo version; do host_file "/proc/$each"; done
    host_file /sys/devices/system/cpu/online
    for each in kernel/hostname kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes vm/overcommit_memory vm/panic_on_oom; do
        host_file "/proc/sys/$each"
    done
    for each in /etc/passwd /etc/subuid /etc/subgid /etc/nsswitch.conf; do host_file "$each" account; done
    for each in /usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin; do there "$each/getsubids"; done
    missing directory /sys/devices/system/node || probe directory /sys/devices/system/node plain ls -A "$HOST/sys/devices/system/node/"
    for each in "$HOST"/sys/devices/system/node/node[0-9]*; do
        [ ! -d "$each" ] || { host_file "${each#"$HOST"}/meminfo"; host_file "${each#"$HOST"}/cpulist"; }
    done
    for each in "$HOST"/sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list; do
        [ ! -e "$each" ] || host_file "${each#"$HOST"}"
    done
    cgroups
}

dump() {
    printf '%s\n' "{\"hashcompat\":\"dump\",\"format\":2,\"node\":\"$(printf '%s' "${NODE_NAME:-$(uname -n)}" | tr -cd 'A-Za-z0-9._-')\"}"
    find_kubelet
    root_places=$(places_of_roots)
    root_directories=$(roots)
    [ "$WANTED" = records ] || processes
    looked=$(now)
    cri
    docker_list
    for each in $root_directories; do state_file "$each/actuated_pods_state"; done
    [ "$WANTED" = records ] || for_preflight
    printf '%s\n' '{"hashcompat":"end"}'
}

for_preflight() {
    kubelet_process
    kubelet_files "$root_directories"
    runtime_files
    host_files
    kubelet_certificates "$root_directories"
    # shellcheck disable=SC2046 # ids
    batches arguments $(pids 'containerd-shim*' 'docker-containe*' runc 'runc:*' conmon)
    docker_for_preflight
    cri_for_preflight
    network_directory "$(flag cni-conf-dir)"
    for each in $(flag cni-bin-dir | tr ',' ' '); do directory "$each"; done
    [ $(($(now) - looked)) -gt 1 ] || sleep 1
    processes
    # shellcheck disable=SC2046 # paths without blanks
    batches mounted $(remote_mounts)
}

# write_to DIR: writes the dump to DIR/NODE.json, by a new file that takes the place of whatever is there. No link is followed: neither one
# for that file, nor for DIR, which the script is in before it looks whose it is.
write_to() {
    node=${NODE_NAME:-$(uname -n)}
    case $node in
        '' | . | .. | *[!A-Za-z0-9._-]*) fail "the name of the node, $node, is none: want letters, digits, points and hyphens in NODE_NAME" ;;
    esac
    directory=$1
    while :; do case $directory in ?*/) directory=${directory%/} ;; *) break ;; esac done
    case $directory in
        '') fail 'want a directory' ;;
        /*) ;;
        *) directory=./$directory ;;
    esac
    mkdir -p "$directory" || exit 1
    [ ! -L "$directory" ] || fail "$1 is a link: name the directory itself"
    CDPATH='' cd -P "$directory" || exit 1
    # shellcheck disable=SC2012 # the name is not read
    wrong=$(ls -ldn . | awk -v me="$ME" '
        $3 != 0 && $3 != me { print "belongs to user " $3; exit }
        substr($1, 9, 1) == "w" && $1 !~ /^d........[tT]/ { print "may be written to by everybody"; exit }')
    [ -z "$wrong" ] || fail "$1 $wrong: name a directory of your own"
    new=.$node.$(random)
    trap 'rm -f "./$new"' EXIT
    trap 'exit 1' HUP INT TERM
    set -C
    dump >"./$new" || fail "$1: it cannot be written to"
    set +C
    [ ! -L "./$node.json" ] || rm -f "./$node.json"
    [ ! -d "./$node.json" ] || fail "$1/$node.json is a directory"
    mv -f "./$new" "./$node.json" || exit 1
    trap - EXIT
}

PATH=$(trusted_path)
case $#:${1-} in
    0:) dump ;;
    1:-*) fail "$1 is no directory; usage: sh collect.sh [DIR], as the lines at its beginning describe" ;;
    1:*) write_to "$1" ;;
    *) fail 'want one directory at the most' ;;
esac
