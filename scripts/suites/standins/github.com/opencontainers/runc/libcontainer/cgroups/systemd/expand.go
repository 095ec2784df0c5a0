//go:build linux

package systemd

// ExpandSlice is what the revision that Kubernetes 1.7 pins calls expandSlice, which its last tag has.
func ExpandSlice(slice string) (string, error) {
	return expandSlice(slice)
}
