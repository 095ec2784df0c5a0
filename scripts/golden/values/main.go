// Command values prints what Go makes of the inputs of golden/values: it
// reads strings as JSON lines and answers each with one JSON object.
package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"

	"github.com/davecgh/go-spew/spew"
	"k8s.io/apimachinery/pkg/api/resource"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/yaml"
)

// printer shows private fields and calls no methods, as the kubelet's does.
var printer = spew.ConfigState{Indent: " ", SortKeys: true, DisableMethods: true, SpewKeys: true}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "values:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	makers := map[string]func(string) (interface{}, error){
		"quantities": quantity, "yaml": document, "jsonpath": template,
	}
	if len(arguments) != 1 || makers[arguments[0]] == nil {
		return fmt.Errorf("want one of quantities, yaml, jsonpath; got %q", arguments)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var text string
		if err := json.Unmarshal(in.Bytes(), &text); err != nil {
			return err
		}
		row, err := makers[arguments[0]](text)
		if err != nil {
			return fmt.Errorf("%q: %w", text, err)
		}
		if err := out.Encode(row); err != nil {
			return err
		}
	}
	return in.Err()
}

func quantity(text string) (interface{}, error) {
	quoted, err := json.Marshal(text)
	if err != nil {
		return nil, err
	}
	var parsed resource.Quantity
	if err := parsed.UnmarshalJSON(quoted); err != nil {
		return nil, err
	}
	fields := printer.Sprintf("%v", parsed)
	written, err := parsed.MarshalJSON()
	if err != nil {
		return nil, err
	}
	canonical, suffix := parsed.CanonicalizeBytes(nil)
	rounded := parsed.DeepCopy()
	rounded.RoundUp(resource.Milli)
	milliFields := printer.Sprintf("%v", rounded)
	return map[string]string{
		"fields": fields, "json": unquoted(written), "canonical": string(canonical) + string(suffix),
		"milliFields": milliFields, "milli": rounded.String(),
	}, nil
}

func unquoted(written []byte) string {
	return string(written[1 : len(written)-1])
}

// document answers null where Go refuses the YAML.
func document(text string) (interface{}, error) {
	converted, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return map[string]interface{}{"json": nil}, nil
	}
	return map[string]interface{}{"json": string(converted)}, nil
}

// printed is what templates are applied to.
//
//go:embed document.json
var printed []byte

// template answers what kubectl -o jsonpath prints, and whether it fails.
func template(text string) (interface{}, error) {
	var data interface{}
	if err := utiljson.Unmarshal(printed, &data); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	path := jsonpath.New("template").AllowMissingKeys(true)
	if err := path.Parse(text); err != nil {
		return map[string]interface{}{"out": "", "fails": true}, nil
	}
	if err := path.Execute(&out, data); err != nil {
		return map[string]interface{}{"out": "", "fails": true}, nil
	}
	return map[string]interface{}{"out": out.String(), "fails": false}, nil
}
