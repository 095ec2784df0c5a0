// Command kubeadm prints the files that the kubeadm of one release writes for a
// kubelet. It is compiled once for each file in modules, which says which
// k8s.io/kubernetes it is built from.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/kubernetes/cmd/kubeadm/app/phases/kubelet"
)

// request is one line of standard input.
type request struct {
	// Config is a configuration of kubeadm init, in YAML.
	Config string `json:"config"`
	// Join says that the node joins a cluster: the kubelet registers its own taints then.
	Join bool `json:"join"`
}

// answer is one line of standard output: the two files, or why there are none.
type answer struct {
	// Flags is the text of kubeadm-flags.env.
	Flags string `json:"flags"`
	// Config is the text of config.yaml, a KubeletConfiguration.
	Config  string `json:"config"`
	Refused string `json:"refused"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "kubeadm:", err)
		os.Exit(1)
	}
}

func run() error {
	answers := os.Stdout
	var err error
	if os.Stdout, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0); err != nil { // kubeadm says there what it does
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	out := json.NewEncoder(answers)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var asked request
		if err := json.Unmarshal(in.Bytes(), &asked); err != nil {
			return err
		}
		given, err := written(asked)
		if err != nil {
			given = answer{Refused: err.Error()}
		}
		if err := out.Encode(given); err != nil {
			return err
		}
	}
	return in.Err()
}

// written runs the steps of the phase kubelet-start that write files.
func written(asked request) (answer, error) {
	directory, err := os.MkdirTemp("", "kubeadm")
	if err != nil {
		return answer{}, err
	}
	defer os.RemoveAll(directory)
	cfg, err := initConfiguration([]byte(asked.Config))
	if err != nil {
		return answer{}, err
	}
	if err := kubelet.WriteKubeletDynamicEnvFile(&cfg.ClusterConfiguration, &cfg.NodeRegistration, asked.Join, directory); err != nil {
		return answer{}, err
	}
	if err := writeConfig(cfg, directory); err != nil {
		return answer{}, err
	}
	flags, err := os.ReadFile(filepath.Join(directory, "kubeadm-flags.env"))
	if err != nil {
		return answer{}, err
	}
	text, err := os.ReadFile(filepath.Join(directory, "config.yaml"))
	return answer{Flags: string(flags), Config: string(text)}, err
}
