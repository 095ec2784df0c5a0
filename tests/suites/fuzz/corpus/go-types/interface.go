package v1

type Container struct {
	Name string `json:"name"`
	Image string `json:"image,omitempty"`
	F interface{ A() }
}

