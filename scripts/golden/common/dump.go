package common

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// listed is what a program that only hashes needs of a pod; all else is skipped.
type listed struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		InitContainers      []json.RawMessage `json:"initContainers"`
		Containers          []json.RawMessage `json:"containers"`
		EphemeralContainers []json.RawMessage `json:"ephemeralContainers"`
	} `json:"spec"`
}

// frame is one container on its way from the program of one release to that of
// another: the two cannot be linked together, for their types are of one module.
type frame struct {
	pod  string
	hash uint32
	raw  []byte
}

// dump reads the objects of a List one by one, hashes each container of its
// pods, and hands hash and JSON on to the program of another release.
func dump(in *bufio.Reader, out io.Writer, fresh func() Object, steps hashing) error {
	decoder := json.NewDecoder(in)
	if err := enterItems(decoder); err != nil {
		return err
	}
	for decoder.More() {
		var pod listed
		if err := decoder.Decode(&pod); err != nil {
			return err
		}
		name := pod.Metadata.Namespace + "/" + pod.Metadata.Name
		every := append(pod.Spec.InitContainers, pod.Spec.Containers...)
		for _, raw := range append(every, pod.Spec.EphemeralContainers...) {
			hash, err := hashJSON(raw, fresh, steps)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if err := writeFrame(out, frame{name, hash, raw}); err != nil {
				return err
			}
		}
	}
	return nil
}

// enterItems reads up to the first element of the list's items.
func enterItems(decoder *json.Decoder) error {
	for depth := 0; ; {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'):
			depth++
		case json.Delim('}'):
			depth--
		case "items":
			if depth == 1 {
				_, err := decoder.Token()
				return err
			}
		}
	}
}

func hashJSON(raw []byte, fresh func() Object, steps hashing) (uint32, error) {
	container := fresh()
	if err := json.Unmarshal(raw, container); err != nil {
		return 0, err
	}
	return hashOnly(container, steps)
}

// second hashes the containers that dump hands on, and prints a line of pod,
// both hashes for each.
func second(in *bufio.Reader, out io.Writer, fresh func() Object, steps hashing) error {
	for {
		one, err := readFrame(in)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		hash, err := hashJSON(one.raw, fresh, steps)
		if err != nil {
			return fmt.Errorf("%s: %w", one.pod, err)
		}
		if _, err := fmt.Fprintf(out, "%s %d %d\n", one.pod, one.hash, hash); err != nil {
			return err
		}
	}
}

// writeFrame writes three lengths or numbers of four bytes each, then the texts.
func writeFrame(out io.Writer, one frame) error {
	numbers := [3]uint32{one.hash, uint32(len(one.pod)), uint32(len(one.raw))}
	if err := binary.Write(out, binary.LittleEndian, numbers); err != nil {
		return err
	}
	if _, err := io.WriteString(out, one.pod); err != nil {
		return err
	}
	_, err := out.Write(one.raw)
	return err
}

func readFrame(in *bufio.Reader) (frame, error) {
	var numbers [3]uint32
	if err := binary.Read(in, binary.LittleEndian, &numbers); err != nil {
		return frame{}, err
	}
	var pod strings.Builder
	if _, err := io.CopyN(&pod, in, int64(numbers[1])); err != nil {
		return frame{}, err
	}
	raw := make([]byte, numbers[2])
	_, err := io.ReadFull(in, raw)
	return frame{pod.String(), numbers[0], raw}, err
}
