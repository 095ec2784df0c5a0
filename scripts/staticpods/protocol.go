package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"
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
	UID      string `json:"uid"`
	Text     string `json:"text"`
	Suffix   string `json:"suffix"`
	UIDGiven bool   `json:"uidGiven"`
}

// failure is a type of its own so that a manifest that cannot be decoded can
// never pass for a pod with an empty UID.
type failure struct {
	Error string `json:"error"`
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

// answerAll flushes whenever no further request is waiting, so that a caller
// may hold a conversation instead of sending everything first.
func answerAll(in *bufio.Reader, out *bufio.Writer) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := encoder.Encode(reply(line)); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}

func reply(line []byte) interface{} {
	result, err := nameOf(line)
	if err != nil {
		return failure{err.Error()}
	}
	if !utf8.ValidString(result.Text) {
		return failure{"the hashed text is not valid UTF-8: JSON cannot carry it"}
	}
	return result
}

func nameOf(line []byte) (answer, error) {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return answer{}, err
	}
	source, err := asked.source()
	if err != nil {
		return answer{}, err
	}
	pod, err := decodePod([]byte(asked.Manifest))
	if err != nil {
		return answer{}, err
	}
	namer, err := namerOf(era)
	if err != nil {
		return answer{}, err
	}
	return namer.name(pod, source), nil
}
