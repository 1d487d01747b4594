package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func run(command *cobra.Command, args []string) int {
	command.SetArgs(args)
	return cli.Run(command)
}

func runAPIServer(args []string) int { return run(apiserver.NewAPIServerCommand(), args) }

func runControllerManager(args []string) int {
	return run(controllermanager.NewControllerManagerCommand(), args)
}

func runScheduler(args []string) int { return run(scheduler.NewSchedulerCommand(), args) }

func runKubelet(args []string) int { return run(kubelet.NewKubeletCommand(context.Background()), args) }

func runProxy(args []string) int { return run(proxy.NewProxyCommand(), args) }

func runKubectl(args []string) int {
	// It looks at the process's own arguments to find plugins.
	os.Args = append([]string{"kubectl"}, args...)
	command := kubectl.NewDefaultKubectlCommand()
	if err := cli.RunNoErrOutput(command); err != nil {
		return 1
	}
	return 0
}
