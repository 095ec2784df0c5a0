package common

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"
)

const benchTime = time.Second

// result says how many containers were hashed in how many seconds.
type result struct {
	Containers int     `json:"containers"`
	Seconds    float64 `json:"seconds"`
}

// benchmark repeats whole rounds over the given lines for about a second, so
// that the Python side has a figure of real Go to be measured against.
func benchmark(in *bufio.Reader, out io.Writer, fresh func() Object, steps hashing, hashAlone bool) error {
	lines, containers, err := readAll(in, fresh)
	if err != nil {
		return err
	}
	round := func() error { return decodeAndHash(lines, fresh, steps) }
	if hashAlone {
		round = func() error { return hashEach(containers, steps) }
	}
	total := 0
	start := time.Now()
	for time.Since(start) < benchTime {
		if err := round(); err != nil {
			return err
		}
		total += len(lines)
	}
	return json.NewEncoder(out).Encode(result{total, time.Since(start).Seconds()})
}

func readAll(in *bufio.Reader, fresh func() Object) ([][]byte, []Object, error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, nil, err
	}
	var lines [][]byte
	var containers []Object
	for _, line := range bytes.Split(data, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		container, err := Decode(line, fresh)
		if err != nil {
			return nil, nil, err
		}
		lines, containers = append(lines, line), append(containers, container)
	}
	if len(lines) == 0 {
		return nil, nil, errors.New("no containers to time")
	}
	return lines, containers, nil
}

func decodeAndHash(lines [][]byte, fresh func() Object, steps hashing) error {
	for _, line := range lines {
		container, err := Decode(line, fresh)
		if err != nil {
			return err
		}
		if _, err := hashOnly(container, steps); err != nil {
			return err
		}
	}
	return nil
}

func hashEach(containers []Object, steps hashing) error {
	for _, container := range containers {
		if _, err := hashOnly(container, steps); err != nil {
			return err
		}
	}
	return nil
}
