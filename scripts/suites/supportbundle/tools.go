//go:build tools

// Package supportbundle pins troubleshoot.sh, whose support-bundle is built from it.
package supportbundle

import _ "github.com/replicatedhq/troubleshoot/cmd/troubleshoot"
