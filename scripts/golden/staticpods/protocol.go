package main

import (
	"encoding/json"
	"errors"

	"hashcompat.io/oracle/common"
)

// request is one line of standard input. A manifest comes from a file, which
// needs the node's name too, or from a URL.
type request struct {
	Manifest string `json:"manifest"`
	Node     string `json:"node"`
	Path     string `json:"path"`
	URL      string `json:"url"`
}

// answer is one line of standard output. What a kubelet hashes is the text and
// then the suffix; with a UID of its own the pod is never hashed, and the text
// only shows how it was decoded.
type answer struct {
	UID        string      `json:"uid"`
	Text       string      `json:"text"`
	Suffix     string      `json:"suffix"`
	UIDGiven   bool        `json:"uidGiven"`
	Containers []container `json:"containers"`
}

// source is the text about the pod's origin that applyDefaults gives its digest.
func (r request) source() (string, error) {
	if (r.Path == "") == (r.URL == "") {
		return "", errors.New("a request has either a path or a url")
	}
	if r.URL != "" {
		return "url:" + r.URL, nil
	}
	return "host:" + r.Node + "file:" + r.Path, nil
}

func reply(line []byte) (interface{}, error) {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return nil, err
	}
	source, err := asked.source()
	if err != nil {
		return nil, err
	}
	pod, err := decodePod([]byte(asked.Manifest))
	if err != nil {
		return nil, err
	}
	namer, err := namerOf(era)
	if err != nil {
		return nil, err
	}
	result := namer.name(pod, source)
	if result.Containers, err = hashContainers(pod); err != nil {
		return nil, err
	}
	return result, common.CheckText(result.Text)
}
