#!/bin/sh
# systemd.sh COMMAND…: run a command below a systemd that is process 1 of namespaces of its own, with cgroups of its own, on a host without one.
# It is to be ended by SIGKILL; then everything that ran in it ends too.
set -eu
group=hc-systemd-$$
kinds=$(cut -d: -f2 /proc/self/cgroup)
if [ "${INSIDE:-}" = "" ]; then
  for kind in $kinds; do
    place=/sys/fs/cgroup/${kind#name=}
    mkdir "$place/$group"
    for name in cpuset.cpus cpuset.mems; do [ ! -e "$place/$name" ] || cat "$place/$name" > "$place/$group/$name"; done
    echo $$ > "$place/$group/cgroup.procs"
  done
  # systemd has its units in the unified hierarchy too, whose root is the host's otherwise.
  place=$(mktemp -d)
  mount -t cgroup2 none "$place"
  mkdir "$place/$group"
  echo $$ > "$place/$group/cgroup.procs"
  umount "$place"
  rmdir "$place"
  INSIDE=1 exec unshare --cgroup --pid --mount --uts --ipc --fork --kill-child "$0" "$@"
fi
mount --make-rprivate /
mount -t proc proc /proc
umount -R /sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
for kind in $kinds; do
  mkdir "/sys/fs/cgroup/${kind#name=}"
  [ "$kind" = name=systemd ] && options=none,$kind || options=$kind
  mount -t cgroup -o "$options" cgroup "/sys/fs/cgroup/${kind#name=}"
done
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock /run/dbus /run/systemd/system
cd /run/systemd/system
# The host's files are not in a namespace: a unit with default dependencies would have /tmp emptied, and settings of the kernel changed.
for name in tmpfiles-setup tmpfiles-setup-dev sysctl; do ln -s /dev/null "systemd-$name.service"; done
cat > lab.target <<'UNIT'
[Unit]
DefaultDependencies=no
Requires=dbus.socket dbus.service work.service
UNIT
cat > dbus.socket <<'UNIT'
[Unit]
DefaultDependencies=no
[Socket]
ListenStream=/run/dbus/system_bus_socket
UNIT
cat > dbus.service <<'UNIT'
[Unit]
DefaultDependencies=no
Requires=dbus.socket
[Service]
ExecStart=/usr/bin/dbus-daemon --system --address=systemd: --nofork --nopidfile --systemd-activation
UNIT
cat > work.service <<UNIT
[Unit]
DefaultDependencies=no
After=dbus.service
[Service]
Type=oneshot
Delegate=yes
TimeoutStartSec=infinity
WorkingDirectory=$OLDPWD
Environment=HOME=$HOME "PATH=$PATH"
ExecStart=$*
UNIT
exec env -i container=lab PATH="$PATH" /lib/systemd/systemd --system --unit=lab.target --log-target=null
