package common

import (
	"encoding/json"
	"fmt"
)

// decode turns one request into the container as a kubelet holds it: "file"
// keeps empty lists and maps as a manifest's decoder does, "api" sends the
// container through protobuf, which has no empty lists and maps.
func decode(line []byte, fresh func() Object) (Object, error) {
	var request Request
	if err := json.Unmarshal(line, &request); err != nil {
		return nil, err
	}
	container := fresh()
	if err := json.Unmarshal(request.Container, container); err != nil {
		return nil, err
	}
	switch request.Source {
	case "file":
		return container, nil
	case "api":
		return throughProtobuf(container, fresh())
	}
	return nil, fmt.Errorf("source is %q, not api or file", request.Source)
}

func throughProtobuf(sent, received Object) (Object, error) {
	wire, err := sent.Marshal()
	if err != nil {
		return nil, err
	}
	return received, received.Unmarshal(wire)
}
