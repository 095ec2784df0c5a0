// Command containertypes prints the tree of Go types below one root type of a Kubernetes API package as JSON.
//
// The kubelet hashes the text that spew makes of a v1.Container, or its JSON, so field names, order, types and
// tags of every release are what a prediction needs (pkg/kubelet/container/helpers.go, HashContainer). It reads
// source with go/parser only: releases whose dependencies no longer resolve can still be read.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

func main() {
	file := flag.String("file", "", "Go file that declares the types, such as core/v1/types.go")
	root := flag.String("root", "Container", "type at the top of the tree")
	flag.Parse()
	if err := run(*file, *root); err != nil {
		fmt.Fprintln(os.Stderr, "containertypes:", err)
		os.Exit(1)
	}
}

func run(file, root string) error {
	source, err := load(file)
	if err != nil {
		return err
	}
	tree, err := extract(source, root)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(tree)
}
