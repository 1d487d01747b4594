package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// runInformer syncs client-go's informer of all pods, in JSON, and prints how long that took and
// what it needed: the counterpart of "coppice_load informer".
func runInformer(args []string) int {
	flags := flag.NewFlagSet("informer", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", os.Getenv("KUBECONFIG"), "the cluster to use")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if err := measureInformer(*kubeconfig); err != nil {
		fmt.Fprintln(os.Stderr, "informer:", err)
		return 1
	}
	return 0
}

func measureInformer(kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	config.ContentType = "application/json"
	config.AcceptContentTypes = "application/json"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	before := heapInUse()
	start := time.Now()
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Informer()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), pods.HasSynced) {
		return fmt.Errorf("not synced in time")
	}
	seconds := time.Since(start).Seconds()
	report("objects", float64(len(pods.GetStore().ListKeys())), "")
	report("sync", seconds, "s")
	report("heap", float64(heapInUse()-before)/1e6, "MB")
	report("peak", peakMemory()/1e6, "MB")
	runtime.KeepAlive(pods)
	return nil
}

func report(name string, value float64, unit string) {
	line, _ := json.Marshal(map[string]any{"name": name, "value": value, "unit": unit})
	fmt.Println(string(line))
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// peakMemory is VmHWM of this process, in bytes.
func peakMemory() float64 {
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		if rest, found := strings.CutPrefix(line, "VmHWM:"); found {
			kilobytes, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kilobytes * 1024
		}
	}
	return 0
}
