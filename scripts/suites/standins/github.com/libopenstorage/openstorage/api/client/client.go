// Package client is in place of a client that talks to no server.
package client

import "errors"

// Missing is what everything here answers.
var Missing = errors.New("this kubelet was built without Portworx")

// Client talks to no server.
type Client struct{}

// Versions fails.
func (*Client) Versions(string) ([]string, error) { return nil, Missing }
