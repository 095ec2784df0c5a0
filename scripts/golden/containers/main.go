// Command containers is the oracle of containers: it reads containers as JSON
// lines and writes the text and the hash that the kubelet of one release
// computes. It is compiled once for each file in modules; which of the files
// container_*.go declares the release's type is said by build tags.
package main

import "hashcompat.io/oracle/common"

func main() {
	common.Main(func() common.Object { return new(container) })
}
