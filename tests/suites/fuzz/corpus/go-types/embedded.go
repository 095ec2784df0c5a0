package v1

type Container struct {
	Name string `json:"name"`
	Image string `json:"image,omitempty"`
	Port `json:",inline"`
}

type Port struct {
	A int32 `json:"a"`
}
