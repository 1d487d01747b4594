// Command kube is real Kubernetes in one binary, for tests: the first argument says which part of
// it to run. Nothing in here is shipped.
package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
)

// A part gets the arguments after its name and returns the exit code.
var parts = map[string]func(args []string) int{
	"etcd":                    runEtcd,
	"kube-apiserver":          runAPIServer,
	"kube-controller-manager": runControllerManager,
	"kube-scheduler":          runScheduler,
	"kubelet":                 runKubelet,
	"kube-proxy":              runProxy,
	"kubectl":                 runKubectl,
	"client-go":               runClientGo,
	"informer":                runInformer,
	"protobuf-table":          runProtobufTable,
}

func main() {
	if len(os.Args) > 1 {
		if part, found := parts[os.Args[1]]; found {
			os.Exit(part(os.Args[2:]))
		}
	}
	names := make([]string, 0, len(parts))
	for name := range parts {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Fprintf(os.Stderr, "usage: kube %s [ARGUMENTS]\n", strings.Join(names, "|"))
	os.Exit(2)
}
