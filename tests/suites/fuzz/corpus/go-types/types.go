package v1

type Container struct {
	Name string `json:"name"`
	Image string `json:"image,omitempty"`
	P []Port `json:"p"`
	M map[string]Port
}

type Port struct {
	A, B int32
}
