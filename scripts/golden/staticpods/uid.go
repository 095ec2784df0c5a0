package main

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/fnv"

	core "k8s.io/kubernetes/pkg/apis/core"
	deephash "k8s.io/kubernetes/pkg/util/hash"
)

// era is set by the linker (-X) from releases.json, the only table of eras.
var era string

// recorder is a digest that keeps the text which it was given since its last
// Reset, so that text and digest come from the kubelet's own DeepHashObject.
type recorder struct {
	hash.Hash
	text bytes.Buffer
}

// Write feeds the text and the digest alike.
func (r *recorder) Write(part []byte) (int, error) {
	r.text.Write(part)
	return r.Hash.Write(part)
}

// Reset forgets the text with the digest, which is how releases to 1.20 lose
// the source of the pod.
func (r *recorder) Reset() {
	r.text.Reset()
	r.Hash.Reset()
}

// namer is one form of applyDefaults in pkg/kubelet/config/common.go.
type namer struct {
	digest      func() hash.Hash
	sourceAfter bool
}

func namerOf(era string) (namer, error) {
	known := map[string]namer{
		"spew-md5":            {md5.New, false},
		"spew-source-md5":     {md5.New, true},     // 1.21, kubernetes/kubernetes#87461
		"spew-source-fnv128a": {fnv.New128a, true}, // 1.35, kubernetes/kubernetes#133511
	}
	if found, ok := known[era]; ok {
		return found, nil
	}
	return namer{}, fmt.Errorf("this oracle was built for no era that it knows: %q", era)
}

// name gives what the kubelet hashes, object and source apart, and the UID.
// To 1.20 the source is written as well, but DeepHashObject resets the digest.
func (n namer) name(pod *core.Pod, source string) answer {
	digest := &recorder{Hash: n.digest()}
	if !n.sourceAfter {
		fmt.Fprint(digest, source)
	}
	deephash.DeepHashObject(digest, pod)
	result := answer{Text: digest.text.String()}
	if n.sourceAfter {
		fmt.Fprint(digest, source)
		result.Suffix = source
	}
	if len(pod.UID) > 0 {
		return answer{UID: string(pod.UID), Text: result.Text, UIDGiven: true}
	}
	result.UID = hex.EncodeToString(digest.Sum(nil))
	return result
}
