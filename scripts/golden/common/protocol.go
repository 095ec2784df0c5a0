// Package common is what every oracle shares: it reads containers as JSON
// lines, decodes them into the v1.Container of one Kubernetes release and
// writes the exact text and hash that the kubelets of that era compute.
package common

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"hashcompat.io/oracle/common/values"
)

// Object is a pointer to the v1.Container of one release.
type Object interface{}

// Converter is the v1.Container of 1.0 to 1.5, whose kubelets hash the internal
// api.Container that they convert it into; Convert returns that by value.
type Converter interface {
	Convert() (interface{}, error)
}

// OverJSON is a Converter of 1.0 to 1.2, whose kubelets ask API servers for JSON.
type OverJSON interface {
	Converter
	OverJSON()
}

// Request is one line of standard input.
type Request struct {
	Source    string          `json:"source"`
	Container json.RawMessage `json:"container"`
}

// answer is one line of standard output.
type answer struct {
	Text string `json:"text"`
	Hash uint32 `json:"hash"`
}

// Main runs an oracle; fresh returns a pointer to an empty v1.Container of the
// release that the binary was built from.
func Main(fresh func() Object) {
	bench := flag.Bool("bench", false, "time decoding and hashing")
	first := flag.Bool("dump", false, "hash the containers of a List of pods, and hand them on")
	second := flag.Bool("second", false, "hash what -dump of another release hands on")
	list := flag.Bool("values", false, "print go-spew's text of fixed values of every kind")
	types := flag.Bool("types", false, "print the type tree of this release's Container")
	flag.Parse()
	if err := run(fresh, mode{*bench, *first, *second, *list, *types}); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}

// mode says what to do instead of answering requests.
type mode struct {
	bench, dump, second, values, types bool
}

func run(fresh func() Object, mode mode) error {
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	defer out.Flush()
	if mode.values {
		return values.Write(out, printer)
	}
	if mode.types {
		return writeContainerTypes(out, fresh())
	}
	steps, err := hashingOf(era)
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	if mode.bench {
		return benchmark(in, out, fresh, steps)
	}
	if mode.dump {
		return dump(in, out, fresh, steps)
	}
	if mode.second {
		return second(in, out, fresh, steps)
	}
	return AnswerAll(in, out, func(line []byte) (interface{}, error) { return reply(line, fresh, steps) })
}

func reply(line []byte, fresh func() Object, steps hashing) (interface{}, error) {
	container, err := Decode(line, fresh)
	if err != nil {
		return nil, err
	}
	text, hash, err := textAndHash(container, steps)
	if err != nil {
		return nil, err
	}
	return answer{text, hash}, CheckText(text)
}
