// Package volume is in place of the drivers of volumes; there are none.
package volume

import "github.com/libopenstorage/openstorage/api"

// VolumeDriver has what the Portworx plugin calls.
type VolumeDriver interface {
	Create(*api.VolumeLocator, *api.Source, *api.VolumeSpec) (string, error)
	Delete(string) error
	Attach(string) (string, error)
	Detach(string) error
	Mount(string, string) error
	Unmount(string, string) error
}
