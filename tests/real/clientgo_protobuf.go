package main

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// protobufOnly is the configuration of a client that neither sends nor takes anything else.
func protobufOnly(config *rest.Config) *rest.Config {
	only := rest.CopyConfig(config)
	only.ContentType = runtime.ContentTypeProtobuf
	only.AcceptContentTypes = runtime.ContentTypeProtobuf
	return only
}

// listAs lists a resource of one version, with the media type that the answer has.
func listAs(w *world, config *rest.Config, gv schema.GroupVersion, resource string) (runtime.Object, string, error) {
	config = rest.CopyConfig(config)
	config.GroupVersion = &gv
	config.APIPath = "/apis"
	if gv.Group == "" {
		config.APIPath = "/api"
	}
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, "", err
	}
	contentType := ""
	// At the same revision for both, as far as anything changes at all.
	list, err := client.Get().Resource(resource).Do(w.ctx).ContentType(&contentType).Get()
	return list, contentType, err
}

// protobufLists lists every kind that client-go knows in protobuf and in JSON: both say the same.
func protobufLists(w *world) error {
	_, lists, err := w.client.Discovery().ServerGroupsAndResources()
	if err != nil {
		return err
	}
	seen, objects := 0, 0
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return err
		}
		for _, resource := range list.APIResources {
			listed := strings.Contains(strings.Join(resource.Verbs, " "), "list")
			if !listed || !scheme.Scheme.Recognizes(gv.WithKind(resource.Kind+"List")) {
				continue
			}
			count, err := compareLists(w, gv, resource.Name)
			if err != nil {
				return fmt.Errorf("%s %s: %w", gv, resource.Name, err)
			}
			seen, objects = seen+1, objects+count
		}
	}
	if seen < 40 || objects < 40 {
		return fmt.Errorf("only %d kinds and %d objects", seen, objects)
	}
	return nil
}

func compareLists(w *world, gv schema.GroupVersion, resource string) (int, error) {
	binary, contentType, err := listAs(w, protobufOnly(w.config), gv, resource)
	if err != nil {
		return 0, err
	}
	if contentType != runtime.ContentTypeProtobuf {
		return 0, fmt.Errorf("the answer is %s", contentType)
	}
	text := rest.CopyConfig(w.config)
	text.ContentType, text.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	plain, _, err := listAs(w, text, gv, resource)
	if err != nil {
		return 0, err
	}
	// Leases and events change all the time.
	if resource == "leases" || resource == "events" {
		return 0, nil
	}
	left, err := runtime.DefaultUnstructuredConverter.ToUnstructured(binary)
	if err != nil {
		return 0, err
	}
	right, err := runtime.DefaultUnstructuredConverter.ToUnstructured(plain)
	if err != nil {
		return 0, err
	}
	items := func(list map[string]interface{}) []interface{} {
		found, _ := list["items"].([]interface{})
		for _, item := range found {
			delete(item.(map[string]interface{}), "apiVersion")
			delete(item.(map[string]interface{}), "kind")
		}
		return found
	}
	ours, theirs := items(left), items(right)
	if !equality.Semantic.DeepEqual(ours, theirs) {
		return 0, fmt.Errorf("protobuf and JSON differ:\n%v\n%v", ours, theirs)
	}
	return len(ours), nil
}

// protobufObjects writes, reads and watches objects in protobuf alone.
func protobufObjects(w *world) error {
	client, err := kubernetes.NewForConfig(protobufOnly(w.config))
	if err != nil {
		return err
	}
	maps := client.CoreV1().ConfigMaps(w.namespace)
	watcher, err := maps.Watch(w.ctx, metav1.ListOptions{FieldSelector: "metadata.name=binary"})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	made, err := maps.Create(w.ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "binary"},
		BinaryData: map[string][]byte{"k": {0, 255}}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	made.Data = map[string]string{"a": "b"}
	if made, err = maps.Update(w.ctx, made, metav1.UpdateOptions{}); err != nil {
		return err
	}
	made, err = maps.Patch(w.ctx, "binary", types.MergePatchType, []byte(`{"data":{"c":"d"}}`), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	if len(made.Data) != 2 || len(made.BinaryData["k"]) != 2 {
		return fmt.Errorf("the object is %+v", made)
	}
	if err := maps.Delete(w.ctx, "binary", metav1.DeleteOptions{}); err != nil {
		return err
	}
	for _, expected := range []watch.EventType{watch.Added, watch.Modified, watch.Modified, watch.Deleted} {
		event := <-watcher.ResultChan()
		if found, ok := event.Object.(*corev1.ConfigMap); event.Type != expected || !ok || found.Name != "binary" {
			return fmt.Errorf("expected %s, got %s %v", expected, event.Type, event.Object)
		}
	}
	if _, err := maps.Get(w.ctx, "binary", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("a Status in protobuf: %v", err)
	}
	return protobufWorkloads(w, client)
}

// Kinds with numbers, quantities, either-or fields and subresources.
func protobufWorkloads(w *world, client kubernetes.Interface) error {
	replicas := int32(2)
	labels := map[string]string{"app": "binary"}
	deployments := client.AppsV1().Deployments(w.namespace)
	made, err := deployments.Create(w.ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "binary"},
		Spec: appsv1.DeploymentSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if made.Spec.Strategy.RollingUpdate == nil || made.Spec.Strategy.RollingUpdate.MaxSurge.StrVal != "25%" {
		return fmt.Errorf("the strategy is %+v", made.Spec.Strategy)
	}
	scale, err := deployments.GetScale(w.ctx, "binary", metav1.GetOptions{})
	if err != nil || scale.Spec.Replicas != 2 {
		return fmt.Errorf("the scale is %+v: %v", scale, err)
	}
	only, err := metadata.NewForConfig(protobufOnly(w.config))
	if err != nil {
		return err
	}
	partial, err := only.Resource(appsv1.SchemeGroupVersion.WithResource("deployments")).Namespace(w.namespace).
		List(w.ctx, metav1.ListOptions{})
	if err != nil || len(partial.Items) != 1 || partial.Items[0].Name != "binary" {
		return fmt.Errorf("the metadata is %+v: %v", partial, err)
	}
	return deployments.Delete(w.ctx, "binary", metav1.DeleteOptions{})
}
