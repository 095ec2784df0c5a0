kind: Pod
