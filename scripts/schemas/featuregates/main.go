// Command featuregates prints the feature gates that Go packages of one
// Kubernetes release declare, with their defaults. It reads source with
// go/parser only: releases that no longer compile can still be read.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

func main() {
	from := options{modules: map[string]string{}}
	flag.IntVar(&from.minor, "minor", 0, "the minor of the release, such as 31: the version that its binaries emulate")
	flag.Func("dir", "module=directory, once for each module", from.addModule)
	flag.Parse()
	if err := run(from, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "featuregates:", err)
		os.Exit(1)
	}
}

// run prints what each package declares; one that the release lacks is left out.
func run(from options, paths []string) error {
	sources := &packages{from: from, loaded: map[string]*pkg{}}
	found := map[string]*declared{}
	for _, path := range paths {
		if !sources.has(path) {
			continue
		}
		gates, err := declaredIn(sources, path)
		if err != nil {
			return err
		}
		found[path] = gates
	}
	return json.NewEncoder(os.Stdout).Encode(found)
}
