package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// served is what an API server gives a kubelet of a manifest's containers, as
// far as decoding decides it: strategies and admission have no part in it.
type served struct {
	InitContainers []v1.Container `json:"initContainers,omitempty"`
	Containers     []v1.Container `json:"containers"`
}

// serveAll answers one manifest a line with its containers, in order.
func serveAll(in *bufio.Reader, out io.Writer) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := encoder.Encode(answerServed(line)); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func answerServed(manifest []byte) interface{} {
	result, err := serve(manifest)
	if err != nil {
		return failure{err.Error()}
	}
	return result
}

// serve decodes and defaults, converts to v1 and goes through protobuf, the
// form in which pods are stored and sent to kubelets.
func serve(manifest []byte) (served, error) {
	pod, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), manifest)
	if err != nil {
		return served{}, err
	}
	var external, received v1.Pod
	if err := legacyscheme.Scheme.Convert(pod, &external, nil); err != nil {
		return served{}, err
	}
	wire, err := external.Marshal()
	if err != nil {
		return served{}, err
	}
	if err := received.Unmarshal(wire); err != nil {
		return served{}, err
	}
	return served{received.Spec.InitContainers, received.Spec.Containers}, nil
}
