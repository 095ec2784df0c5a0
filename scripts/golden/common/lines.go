package common

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"
)

// failure is a type of its own so that a request that cannot be answered can
// never pass for the hash 0 or an empty UID.
type failure struct {
	Error string `json:"error"`
}

// AnswerAll writes one line of JSON for each line that is not blank. It flushes
// whenever no further request is waiting, so that a caller may hold a
// conversation instead of sending everything first.
func AnswerAll(in *bufio.Reader, out *bufio.Writer, reply func(line []byte) (interface{}, error)) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := encoder.Encode(answerOf(reply(line))); err != nil {
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

func answerOf(answer interface{}, err error) interface{} {
	if err != nil {
		return failure{err.Error()}
	}
	return answer
}

// CheckText refuses a text that would not survive the way to the caller.
func CheckText(text string) error {
	if !utf8.ValidString(text) {
		return errors.New("the hashed text is not valid UTF-8: JSON cannot carry it")
	}
	return nil
}
