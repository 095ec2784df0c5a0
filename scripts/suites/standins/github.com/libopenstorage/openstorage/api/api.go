// Package api is in place of what the Portworx plugin of Kubernetes 1.7 refers to, of a revision that is on no
// module proxy.
package api

// OsdVolumePath names the volumes of a server.
const OsdVolumePath = "osd-volumes"

// Source describes where the data of a volume come from.
type Source struct{}

// VolumeLocator finds a volume.
type VolumeLocator struct {
	Name         string
	VolumeLabels map[string]string
}

// VolumeSpec describes a volume.
type VolumeSpec struct {
	Size uint64
}
