// Package spec is in place of what reads the parameters of volumes.
package spec

import (
	"github.com/libopenstorage/openstorage/api"
	"github.com/libopenstorage/openstorage/api/client"
)

// SpecHandler reads nothing.
type SpecHandler struct{}

// NewSpecHandler returns one.
func NewSpecHandler() SpecHandler { return SpecHandler{} }

// SpecFromOpts fails.
func (SpecHandler) SpecFromOpts(map[string]string) (*api.VolumeSpec, error) {
	return nil, client.Missing
}
