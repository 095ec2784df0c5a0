package container

import (
	"encoding/json"
	"hash/fnv"

	"k8s.io/api/core/v1"
	hashutil "k8s.io/kubernetes/pkg/util/hash"
)

// HashContainer returns the hash of the container.
func HashContainer(co