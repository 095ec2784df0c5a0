// Only the root of the module: every build names a release's own file, as in
// go build -modfile=modules/1.36.mod
module hashcompat.io/kubeadm

go 1.21
