// Command room admits the pods of nodes again as a kubelet of one release does
// when it starts, with its own code: the admission handler of pkg/kubelet/lifecycle
// with that of critical pods. It is compiled once for each file in modules, which
// says which k8s.io/kubernetes it is built from.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sort"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	"k8s.io/kubernetes/pkg/kubelet/util/sliceutils"
)

// request is one line of standard input.
type request struct {
	// Node is a node with what it can give.
	Node *v1.Node `json:"node"`
	// Pods are its pods, none of which has finished.
	Pods []*v1.Pod `json:"pods"`
	// Managers are its resource managers, which are asked instead of room where they are given.
	Managers *managers `json:"managers"`
}

// kubelet holds the pods that are admitted.
type kubelet struct {
	node   *v1.Node
	active []*v1.Pod
	// outcomes has why a pod does not run any more, by its uid.
	outcomes map[string]string
}

func (k *kubelet) others(pod *v1.Pod) []*v1.Pod {
	var found []*v1.Pod
	for _, one := range k.active {
		if one.UID != pod.UID {
			found = append(found, one)
		}
	}
	return found
}

// kill ends a pod that a critical one takes the room of.
func (k *kubelet) kill(pod *v1.Pod) error {
	k.outcomes[string(pod.UID)] = "Preempting"
	k.active = k.others(pod)
	return nil
}

// add does as HandlePodAdditions of pkg/kubelet/kubelet.go does with the pods of
// one source.
func (k *kubelet) add(handler lifecycle.PodAdmitHandler, pods []*v1.Pod) {
	sort.Sort(sliceutils.PodsByCreationTime(pods))
	for _, pod := range pods {
		k.active = append(k.active, pod)
		result := admit(handler, &lifecycle.PodAdmitAttributes{Pod: pod, OtherPods: k.others(pod)})
		if !result.Admit {
			k.outcomes[string(pod.UID)] = result.Reason
			k.active = k.others(pod)
		}
	}
}

func main() {
	klog.SetLogger(klog.Logger{}) // which says nothing
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "room:", err)
		os.Exit(1)
	}
}

func run() error {
	for _, gate := range os.Args[1:] {
		if err := utilfeature.DefaultMutableFeatureGate.Set(gate); err != nil {
			return err
		}
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var asked request
		if err := json.Unmarshal(in.Bytes(), &asked); err != nil {
			return err
		}
		outcomes, err := start(&asked)
		if err != nil {
			return err
		}
		if err := out.Encode(outcomes); err != nil {
			return err
		}
	}
	return in.Err()
}

// managed is the answer where resource managers are given.
type managed struct {
	Outcomes map[string]string `json:"outcomes"`
	// States are the files that the managers wrote, by name.
	States map[string]string `json:"states"`
	// Error is why the kubelet does not start.
	Error string `json:"error"`
}

// start admits the pods of a node, static ones first; it returns why others do not run any more, by uid.
func start(asked *request) (any, error) {
	k := &kubelet{node: asked.Node, outcomes: map[string]string{}}
	handler := handlerOf(k)
	directory, err := os.MkdirTemp("", "managers")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(directory)
	if asked.Managers != nil {
		if handler, err = asked.Managers.handler(directory); err != nil {
			return managed{Error: err.Error()}, nil
		}
	}
	var static, others []*v1.Pod
	for _, pod := range asked.Pods {
		if kubetypes.IsStaticPod(pod) {
			static = append(static, pod)
		} else {
			others = append(others, pod)
		}
	}
	k.add(handler, static)
	k.add(handler, others)
	if asked.Managers == nil {
		return k.outcomes, nil
	}
	states, err := written(directory)
	return managed{Outcomes: k.outcomes, States: states}, err
}
