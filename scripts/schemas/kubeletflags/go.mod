module hashcompat.io/kubeletflags

go 1.21
