package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/retry"
)

var clientGoSteps = []step{
	{"create a namespace", createNamespace},
	{"discover resources", discoverResources},
	{"informer sees existing and new objects", informerFollows},
	{"informer follows updates and deletes", informerSeesChanges},
	{"dynamic client", dynamicObjects},
	{"server-side apply and conflicts", serverSideApply},
	{"optimistic concurrency", conflictingUpdates},
	{"paging", pagedList},
	{"token request and review", tokens},
	{"tokens bound to a node", nodeTokens},
	{"tokens bound to a pod", podTokens},
	{"tokens bound to what they may be", boundTokens},
	{"objects in protobuf alone", protobufObjects},
	{"lists in protobuf alone", protobufLists},
	{"leader election", leaderElection},
	{"delete the namespace", deleteNamespace},
}

func (w *world) eventually(condition func() bool) error {
	return wait.PollUntilContextTimeout(w.ctx, 20*time.Millisecond, 20*time.Second, true,
		func(context.Context) (bool, error) { return condition(), nil })
}

func configMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "client-go"}},
		Data:       data,
	}
}

func createNamespace(w *world) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}}
	if _, err := w.client.CoreV1().Namespaces().Create(w.ctx, namespace, metav1.CreateOptions{}); err != nil {
		return err
	}
	return w.eventually(func() bool {
		_, err := w.client.CoreV1().ServiceAccounts(w.namespace).Get(w.ctx, "default", metav1.GetOptions{})
		return err == nil
	})
}

func discoverResources(w *world) error {
	client, err := discovery.NewDiscoveryClientForConfig(w.config)
	if err != nil {
		return err
	}
	lists, err := client.ServerPreferredResources()
	if err != nil {
		return err
	}
	for _, list := range lists {
		for _, resource := range list.APIResources {
			if list.GroupVersion == "apps/v1" && resource.Name == "deployments" {
				return nil
			}
		}
	}
	return errors.New("apps/v1 deployments are not served")
}

func (w *world) startInformer(handler cache.ResourceEventHandler) (cache.SharedIndexInformer, func()) {
	factory := informers.NewSharedInformerFactoryWithOptions(w.client, 0,
		informers.WithNamespace(w.namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.LabelSelector = labels.Set{"app": "client-go"}.String()
		}))
	informer := factory.Core().V1().ConfigMaps().Informer()
	if handler != nil {
		informer.AddEventHandler(handler)
	}
	ctx, cancel := context.WithCancel(w.ctx)
	factory.Start(ctx.Done())
	return informer, func() { cancel(); factory.Shutdown() }
}

func informerFollows(w *world) error {
	maps := w.client.CoreV1().ConfigMaps(w.namespace)
	for i := 0; i < 20; i++ {
		if _, err := maps.Create(w.ctx, configMap(fmt.Sprintf("before-%d", i), nil), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	informer, stop := w.startInformer(nil)
	defer stop()
	if !cache.WaitForCacheSync(w.ctx.Done(), informer.HasSynced) {
		return errors.New("the cache does not sync")
	}
	if got := len(informer.GetStore().List()); got != 20 {
		return fmt.Errorf("%d objects after the initial list, expected 20", got)
	}
	for i := 0; i < 20; i++ {
		if _, err := maps.Create(w.ctx, configMap(fmt.Sprintf("after-%d", i), nil), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return w.eventually(func() bool { return len(informer.GetStore().List()) == 40 })
}

func informerSeesChanges(w *world) error {
	var updated, deleted atomic.Int32
	informer, stop := w.startInformer(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, _ any) { updated.Add(1) },
		DeleteFunc: func(any) { deleted.Add(1) },
	})
	defer stop()
	if !cache.WaitForCacheSync(w.ctx.Done(), informer.HasSynced) {
		return errors.New("the cache does not sync")
	}
	maps := w.client.CoreV1().ConfigMaps(w.namespace)
	patch := []byte(`{"data":{"changed":"yes"}}`)
	for i := 0; i < 10; i++ {
		name := fmt.Sprintf("before-%d", i)
		if _, err := maps.Patch(w.ctx, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	options := metav1.ListOptions{LabelSelector: "app=client-go"}
	if err := maps.DeleteCollection(w.ctx, metav1.DeleteOptions{}, options); err != nil {
		return err
	}
	return w.eventually(func() bool {
		return updated.Load() == 10 && deleted.Load() == 40 && len(informer.GetStore().List()) == 0
	})
}

func dynamicObjects(w *world) error {
	leases := w.dynamic.Resource(schema.GroupVersionResource{
		Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}).Namespace(w.namespace)
	lease := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
		"metadata": map[string]any{"name": "dynamic"},
		"spec":     map[string]any{"holderIdentity": "me", "leaseDurationSeconds": int64(15)},
	}}
	made, err := leases.Create(w.ctx, lease, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	watcher, err := leases.Watch(w.ctx, metav1.ListOptions{ResourceVersion: made.GetResourceVersion()})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	unstructured.SetNestedField(made.Object, "you", "spec", "holderIdentity")
	if _, err := leases.Update(w.ctx, made, metav1.UpdateOptions{}); err != nil {
		return err
	}
	select {
	case event := <-watcher.ResultChan():
		object, ok := event.Object.(*unstructured.Unstructured)
		if !ok {
			return fmt.Errorf("unexpected event %v", event)
		}
		holder, _, _ := unstructured.NestedString(object.Object, "spec", "holderIdentity")
		if holder != "you" {
			return fmt.Errorf("the watch shows holder %q", holder)
		}
		return nil
	case <-time.After(10 * time.Second):
		return errors.New("the watch shows nothing")
	}
}

func serverSideApply(w *world) error {
	maps := w.client.CoreV1().ConfigMaps(w.namespace)
	apply := func(manager, value string, force bool) error {
		desired := applycorev1.ConfigMap("applied", w.namespace).WithData(map[string]string{"key": value})
		_, err := maps.Apply(w.ctx, desired, metav1.ApplyOptions{FieldManager: manager, Force: force})
		return err
	}
	if err := apply("one", "1", false); err != nil {
		return err
	}
	if err := apply("two", "2", false); !apierrors.IsConflict(err) {
		return fmt.Errorf("another manager's value: %v, expected a conflict", err)
	}
	if err := apply("two", "2", true); err != nil {
		return err
	}
	current, err := maps.Get(w.ctx, "applied", metav1.GetOptions{})
	if err != nil {
		return err
	}
	extracted, err := applycorev1.ExtractConfigMap(current, "two")
	if err != nil {
		return err
	}
	if extracted.Data["key"] != "2" {
		return fmt.Errorf("manager two owns %v", extracted.Data)
	}
	return nil
}

func conflictingUpdates(w *world) error {
	maps := w.client.CoreV1().ConfigMaps(w.namespace)
	if _, err := maps.Create(w.ctx, configMap("counter", map[string]string{"n": ""}), metav1.CreateOptions{}); err != nil {
		return err
	}
	const writers, each = 4, 5
	done := make(chan error, writers)
	for i := 0; i < writers; i++ {
		go func() {
			for k := 0; k < each; k++ {
				err := retry.OnError(wait.Backoff{Steps: 100, Duration: time.Millisecond, Factor: 1.1, Jitter: 1},
					apierrors.IsConflict, func() error {
						current, err := maps.Get(w.ctx, "counter", metav1.GetOptions{})
						if err != nil {
							return err
						}
						current.Data["n"] += "x"
						_, err = maps.Update(w.ctx, current, metav1.UpdateOptions{})
						return err
					})
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for i := 0; i < writers; i++ {
		if err := <-done; err != nil {
			return err
		}
	}
	result, err := maps.Get(w.ctx, "counter", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if got := len(result.Data["n"]); got != writers*each {
		return fmt.Errorf("%d of %d increments survived", got, writers*each)
	}
	return nil
}

func pagedList(w *world) error {
	maps := w.client.CoreV1().ConfigMaps(w.namespace)
	for i := 0; i < 25; i++ {
		if _, err := maps.Create(w.ctx, configMap(fmt.Sprintf("page-%02d", i), nil), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	seen, pages := map[string]bool{}, 0
	options := metav1.ListOptions{Limit: 10, LabelSelector: "app=client-go"}
	for {
		list, err := maps.List(w.ctx, options)
		if err != nil {
			return err
		}
		pages++
		for _, item := range list.Items {
			seen[item.Name] = true
		}
		if options.Continue = list.Continue; options.Continue == "" {
			break
		}
	}
	// And the counter of the step before.
	if len(seen) != 26 || pages != 3 {
		return fmt.Errorf("%d objects in %d pages", len(seen), pages)
	}
	return nil
}

func leaderElection(w *world) error {
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	var leading atomic.Int32
	var took atomic.Int32
	elect := func(ctx context.Context, identity string) {
		lock, err := resourcelock.New(resourcelock.LeasesResourceLock, w.namespace, "leader",
			w.client.CoreV1(), w.client.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: identity})
		if err != nil {
			return
		}
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second,
			RetryPeriod: 200 * time.Millisecond, ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { leading.Add(1); took.Add(1) },
				OnStoppedLeading: func() {},
			},
		})
	}
	firstCtx, stopFirst := context.WithCancel(ctx)
	go elect(firstCtx, "first")
	if err := w.eventually(func() bool { return took.Load() == 1 }); err != nil {
		return errors.New("nobody leads")
	}
	go elect(ctx, "second")
	stopFirst()
	if err := w.eventually(func() bool { return took.Load() == 2 }); err != nil {
		return errors.New("the second does not take over")
	}
	return nil
}

func deleteNamespace(w *world) error {
	if err := w.client.CoreV1().Namespaces().Delete(w.ctx, w.namespace, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return w.eventually(func() bool {
		_, err := w.client.CoreV1().Namespaces().Get(w.ctx, w.namespace, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}
