package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// What a step works with.
type world struct {
	ctx       context.Context
	config    *rest.Config
	client    kubernetes.Interface
	dynamic   dynamic.Interface
	namespace string
}

type step struct {
	name string
	run  func(w *world) error
}

// runClientGo uses a cluster through client-go, as the controllers of other people do: each step
// prints ok or what went wrong.
func runClientGo(args []string) int {
	flags := flag.NewFlagSet("client-go", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", os.Getenv("KUBECONFIG"), "the cluster to use")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	w, err := connect(ctx, *kubeconfig)
	if err != nil {
		fmt.Fprintln(os.Stderr, "client-go:", err)
		return 1
	}
	failed := 0
	for _, s := range clientGoSteps {
		if err := s.run(w); err != nil {
			fmt.Printf("FAIL  %s: %v\n", s.name, err)
			failed++
			continue
		}
		fmt.Printf("ok    %s\n", s.name)
	}
	if failed > 0 {
		return 1
	}
	return 0
}

func connect(ctx context.Context, kubeconfig string) (*world, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 1000, 1000
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	dynamicClient, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &world{ctx, config, client, dynamicClient,
		fmt.Sprintf("client-go-%d", time.Now().UnixNano()%1e9)}, nil
}
