// Command podtypes prints the internal Pod type tree of one Kubernetes release
// with the types of every other package that it reaches, because the UID of a
// static pod is a digest of the go-spew text of that tree. It reads source with
// go/parser only: releases that no longer compile can still be read.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

func main() {
	var from options
	flag.StringVar(&from.internal, "internal", "", "import path of the internal types, such as k8s.io/kubernetes/pkg/apis/core")
	flag.StringVar(&from.wire, "wire", "", "import path of the v1 types, such as k8s.io/api/core/v1")
	flag.Func("dir", "module=directory, once for each module", from.addModule)
	flag.StringVar(&from.time, "time", "", "fields of time.Time: wall (Go 1.9 and later) or sec")
	flag.Parse()
	if err := run(from); err != nil {
		fmt.Fprintln(os.Stderr, "podtypes:", err)
		os.Exit(1)
	}
}

func run(from options) error {
	tree, err := read(from)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(tree)
}
