// Package api has the internal types of Kubernetes 1.0 below Container, made from
// schemas/types/container/1.0.json: no Go module has the source of 1.0. Quantity and
// IntOrString are those of 1.1, whose parsing and printing are the same.
package api

import (
	"k8s.io/kubernetes/pkg/api/resource"
	"k8s.io/kubernetes/pkg/util"
)

// Capabilities is the type of that name.
type Capabilities struct {
	Add  []Capability `json:"add,omitempty"`
	Drop []Capability `json:"drop,omitempty"`
}

// Capability is the type of that name.
type Capability string

// Container is the type of that name.
type Container struct {
	Name                   string               `json:"name"`
	Image                  string               `json:"image"`
	Command                []string             `json:"command,omitempty"`
	Args                   []string             `json:"args,omitempty"`
	WorkingDir             string               `json:"workingDir,omitempty"`
	Ports                  []ContainerPort      `json:"ports,omitempty"`
	Env                    []EnvVar             `json:"env,omitempty"`
	Resources              ResourceRequirements `json:"resources,omitempty"`
	VolumeMounts           []VolumeMount        `json:"volumeMounts,omitempty"`
	LivenessProbe          *Probe               `json:"livenessProbe,omitempty"`
	ReadinessProbe         *Probe               `json:"readinessProbe,omitempty"`
	Lifecycle              *Lifecycle           `json:"lifecycle,omitempty"`
	TerminationMessagePath string               `json:"terminationMessagePath,omitempty"`
	ImagePullPolicy        PullPolicy           `json:"imagePullPolicy"`
	SecurityContext        *SecurityContext     `json:"securityContext,omitempty"`
}

// ContainerPort is the type of that name.
type ContainerPort struct {
	Name          string   `json:"name,omitempty"`
	HostPort      int      `json:"hostPort,omitempty"`
	ContainerPort int      `json:"containerPort"`
	Protocol      Protocol `json:"protocol,omitempty"`
	HostIP        string   `json:"hostIP,omitempty"`
}

// EnvVar is the type of that name.
type EnvVar struct {
	Name      string        `json:"name"`
	Value     string        `json:"value,omitempty"`
	ValueFrom *EnvVarSource `json:"valueFrom,omitempty"`
}

// EnvVarSource is the type of that name.
type EnvVarSource struct {
	FieldRef *ObjectFieldSelector `json:"fieldRef"`
}

// ExecAction is the type of that name.
type ExecAction struct {
	Command []string `json:"command,omitempty"`
}

// HTTPGetAction is the type of that name.
type HTTPGetAction struct {
	Path   string           `json:"path,omitempty"`
	Port   util.IntOrString `json:"port,omitempty"`
	Host   string           `json:"host,omitempty"`
	Scheme URIScheme        `json:"scheme,omitempty"`
}

// Handler is the type of that name.
type Handler struct {
	Exec      *ExecAction      `json:"exec,omitempty"`
	HTTPGet   *HTTPGetAction   `json:"httpGet,omitempty"`
	TCPSocket *TCPSocketAction `json:"tcpSocket,omitempty"`
}

// Lifecycle is the type of that name.
type Lifecycle struct {
	PostStart *Handler `json:"postStart,omitempty"`
	PreStop   *Handler `json:"preStop,omitempty"`
}

// ObjectFieldSelector is the type of that name.
type ObjectFieldSelector struct {
	APIVersion string `json:"apiVersion"`
	FieldPath  string `json:"fieldPath"`
}

// Probe is the type of that name.
type Probe struct {
	Handler             `json:",inline"`
	InitialDelaySeconds int64 `json:"initialDelaySeconds,omitempty"`
	TimeoutSeconds      int64 `json:"timeoutSeconds,omitempty"`
}

// Protocol is the type of that name.
type Protocol string

// PullPolicy is the type of that name.
type PullPolicy string

// ResourceList is the type of that name.
type ResourceList map[ResourceName]resource.Quantity

// ResourceName is the type of that name.
type ResourceName string

// ResourceRequirements is the type of that name.
type ResourceRequirements struct {
	Limits   ResourceList `json:"limits,omitempty"`
	Requests ResourceList `json:"requests,omitempty"`
}

// SELinuxOptions is the type of that name.
type SELinuxOptions struct {
	User  string `json:"user,omitempty"`
	Role  string `json:"role,omitempty"`
	Type  string `json:"type,omitempty"`
	Level string `json:"level,omitempty"`
}

// SecurityContext is the type of that name.
type SecurityContext struct {
	Capabilities   *Capabilities   `json:"capabilities,omitempty"`
	Privileged     *bool           `json:"privileged,omitempty"`
	SELinuxOptions *SELinuxOptions `json:"seLinuxOptions,omitempty"`
	RunAsUser      *int64          `json:"runAsUser,omitempty"`
}

// TCPSocketAction is the type of that name.
type TCPSocketAction struct {
	Port util.IntOrString `json:"port,omitempty"`
}

// URIScheme is the type of that name.
type URIScheme string

// VolumeMount is the type of that name.
type VolumeMount struct {
	Name      string `json:"name"`
	ReadOnly  bool   `json:"readOnly,omitempty"`
	MountPath string `json:"mountPath"`
}
