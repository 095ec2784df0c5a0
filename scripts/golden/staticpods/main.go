// Command staticpods is the oracle of static pods: it reads manifests as JSON
// lines, decodes them as the kubelet of one release does and writes the UID by
// which that kubelet knows the pod. It is compiled once for each file in
// modules, which says which k8s.io/kubernetes gives types, defaults and hash.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"

	"hashcompat.io/oracle/common"
)

func main() {
	types := flag.Bool("types", false, "print the type tree of this release's internal Pod")
	serving := flag.Bool("served", false, "answer manifests with the containers that an API server would serve")
	flag.Parse()
	if err := run(*types, *serving); err != nil {
		fmt.Fprintln(os.Stderr, "staticpods:", err)
		os.Exit(1)
	}
}

func run(types, serving bool) error {
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	defer out.Flush()
	if types {
		return writeTypes(out)
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	if serving {
		return common.AnswerAll(in, out, serve)
	}
	if _, err := namerOf(era); err != nil {
		return err
	}
	return common.AnswerAll(in, out, reply)
}
