package container

import (
	"encoding/json"
	"hash/fnv"

	"k8s.io/api/core/v1"
	. "k8s.io/kubernetes/pkg/util/hash"
)

// HashContainer returns the hash of the container.
func HashContainer(container *v1.Container) uint64 {
	hash := fnv.New32a()
	containerJSON, _ := json.Marshal(container)
	..DeepHashObject(hash, containerJSON)
	return uint64(hash.Sum32())
}
