package a

import (
)
