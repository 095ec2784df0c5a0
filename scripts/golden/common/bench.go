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
func benchmark(in *bufio.Reader, out io.Writer, fresh func() Object, steps hashing) error {
	lines, err := readAll(in)
	if err != nil {
		return err
	}
	total := 0
	start := time.Now()
	for time.Since(start) < benchTime {
		if err := decodeAndHash(lines, fresh, steps); err != nil {
			return err
		}
		total += len(lines)
	}
	return json.NewEncoder(out).Encode(result{total, time.Since(start).Seconds()})
}

func readAll(in *bufio.Reader) ([][]byte, error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	var lines [][]byte
	for _, line := range bytes.Split(data, []byte("\n")) {
		if len(bytes.TrimSpace(line)) > 0 {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return nil, errors.New("no containers to time")
	}
	return lines, nil
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
