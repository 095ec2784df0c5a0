// Command checkpoints writes and loads the state files of a kubelet with the
// code of one release. It is compiled once for each file in modules, which says
// which k8s.io/kubernetes it is built from.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// request is one line of standard input. With a value, the file is written;
// without one, the text is loaded as a starting kubelet does.
type request struct {
	// File is the name of a kind of state file, a key of kinds.
	File string `json:"file"`
	// Value is what the file holds, without checksums.
	Value json.RawMessage `json:"value"`
	// Text is a file's content.
	Text string `json:"text"`
	// Policy is the policy that the kubelet is configured with.
	Policy string `json:"policy"`
	// Containers are those that the container runtime knows, by id: pod UID and name.
	Containers map[string][2]string `json:"containers"`
	// Gates are the feature gates that are on.
	Gates []string `json:"gates"`
}

// answer is one line of standard output: the text of a file that was written,
// or why one was not loaded.
type answer struct {
	Known   bool   `json:"known"`
	Text    string `json:"text"`
	Refused string `json:"refused"`
}

// kind is how one release writes and loads one state file.
type kind struct {
	write func(value json.RawMessage) ([]byte, error)
	load  func(directory string, asked request) error
}

// kinds are added to by the files that the build tags of a release choose.
var kinds = map[string]kind{}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "checkpoints:", err)
		os.Exit(1)
	}
}

func run() error {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var asked request
		if err := json.Unmarshal(in.Bytes(), &asked); err != nil {
			return err
		}
		given, err := reply(asked)
		if err != nil {
			return err
		}
		if err := out.Encode(given); err != nil {
			return err
		}
	}
	return in.Err()
}

func reply(asked request) (answer, error) {
	found, known := kinds[asked.File]
	if !known {
		return answer{}, nil
	}
	if asked.Value != nil {
		text, err := found.write(asked.Value)
		if err != nil {
			return answer{Known: true, Refused: err.Error()}, nil
		}
		return answer{Known: true, Text: string(text)}, nil
	}
	return load(found, asked)
}

// load puts the text into a directory of its own, for loading may write.
func load(found kind, asked request) (answer, error) {
	directory, err := os.MkdirTemp("", "checkpoints")
	if err != nil {
		return answer{}, err
	}
	defer os.RemoveAll(directory)
	if err := os.WriteFile(filepath.Join(directory, "state"), []byte(asked.Text), 0o600); err != nil {
		return answer{}, err
	}
	if err := enable(asked.Gates); err != nil {
		return answer{}, err
	}
	if found.load == nil {
		return answer{}, nil
	}
	if err := found.load(directory, asked); err != nil {
		return answer{Known: true, Refused: err.Error()}, nil
	}
	return answer{Known: true}, nil
}
