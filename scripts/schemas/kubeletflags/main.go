// Command kubeletflags prints the command-line flags of one release's kubelet, or
// with -config the fields of its config file.
// It runs, by itself, the functions that register them: it reads source with
// go/parser only, so that releases that no longer compile can still be read.
// What it does not understand is an error, never a flag left out.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

func main() {
	modules := map[string]string{}
	flag.Func("dir", "module=directory, once for each module", func(text string) error { return addModule(modules, text) })
	config := flag.String("config", "", "import path of the package of KubeletConfiguration")
	flag.Parse()
	if err := run(modules, *config); err != nil {
		fmt.Fprintln(os.Stderr, "kubeletflags:", err)
		os.Exit(1)
	}
}

func run(modules map[string]string, config string) error {
	sources := &packages{modules: modules, loaded: map[string]*pkg{}}
	var found any
	var err error
	if config == "" {
		found, err = kubeletFlags(sources)
	} else {
		found, err = configFields(sources, config)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(found)
}
