// Package volume is in place of what makes drivers of volumes.
package volume

import (
	"github.com/libopenstorage/openstorage/api/client"
	"github.com/libopenstorage/openstorage/volume"
)

// NewDriverClient fails.
func NewDriverClient(string, string, string) (*client.Client, error) { return nil, client.Missing }

// VolumeDriver returns no driver.
func VolumeDriver(*client.Client) volume.VolumeDriver { return nil }
