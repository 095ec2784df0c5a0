package a

import "fmt"
