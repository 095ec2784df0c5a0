module hashcompat.io/yamllibs

go 1.21

require sigs.k8s.io/yaml v1.1.0

require gopkg.in/yaml.v2 v2.2.8 // indirect
