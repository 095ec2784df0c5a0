package container

import (
	"hash/fnv"
)
