// Command yamllibs prints what the YAML library of a Kubernetes release makes of
// documents: it reads strings as JSON lines and answers each with one JSON
// object, whose "json" is null where the library refuses the document.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "yamllibs:", err)
		os.Exit(1)
	}
}

func run() error {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var text string
		if err := json.Unmarshal(in.Bytes(), &text); err != nil {
			return err
		}
		if err := out.Encode(map[string]*string{"json": converted(text)}); err != nil {
			return err
		}
	}
	return in.Err()
}

// converted does what a kubelet does to a manifest before it decodes it
// (apimachinery pkg/util/yaml ToJSON); a panic of the library is a refusal.
func converted(text string) (result *string) {
	defer func() {
		if recover() != nil {
			result = nil
		}
	}()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil
	}
	written := string(data)
	return &written
}
