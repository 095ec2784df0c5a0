package v1

type Container struct {
	Name string `json:"name