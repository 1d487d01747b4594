package main

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// Types that are more than their fields.
var specialForms = map[reflect.Type]string{
	reflect.TypeOf(metav1.Time{}):          "T",
	reflect.TypeOf(metav1.MicroTime{}):     "U",
	reflect.TypeOf(metav1.Duration{}):      "D",
	reflect.TypeOf(resource.Quantity{}):    "Q",
	reflect.TypeOf(intstr.IntOrString{}):   "O",
	reflect.TypeOf(runtime.RawExtension{}): "X",
	reflect.TypeOf(metav1.FieldsV1{}):      "F",

	reflect.TypeOf(apiextensionsv1.JSON{}):                         "X",
	reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrArray{}):       "A",
	reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrBool{}):        "B",
	reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrStringArray{}): "P",
}

// The types met so far, in order, with their names.
type protobufTypes struct {
	names map[reflect.Type]string
	order []reflect.Type
}

func (p *protobufTypes) name(t reflect.Type) string {
	if name, found := p.names[t]; found {
		return name
	}
	path := strings.Split(t.PkgPath(), "/")
	name := strings.Join(path[len(path)-2:], "/") + "." + t.Name()
	p.names[t] = name
	p.order = append(p.order, t)
	return name
}

// form is the table's word for a field's type; see src/server/protobuf/field_table.h.
func (p *protobufTypes) form(t reflect.Type) string {
	if s, ok := specialForms[t]; ok {
		return s
	}
	switch t.Kind() {
	case reflect.Ptr:
		return "*" + p.form(t.Elem())
	case reflect.String:
		return "s"
	case reflect.Bool:
		return "b"
	case reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64, reflect.Int, reflect.Uint8:
		return "i"
	case reflect.Float64:
		return "d"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "y"
		}
		if t.Name() != "" && t.Elem().Kind() == reflect.String && strings.Contains(t.PkgPath(), "k8s.io") && hasItems(t) {
			return "L" + p.form(t.Elem())
		}
		return "R" + p.form(t.Elem())
	case reflect.Map:
		return "M" + p.form(t.Elem())
	case reflect.Struct:
		return "m" + p.name(t)
	}
	panic(t.String())
}

// Named slices that are messages of their own.
func hasItems(t reflect.Type) bool {
	_, ok := reflect.PointerTo(t).MethodByName("Marshal")
	_, ok2 := t.MethodByName("Marshal")
	return ok || ok2
}

func isStored(gvk schema.GroupVersionKind, t reflect.Type) bool {
	if gvk.Version == runtime.APIVersionInternal || gvk.Kind == "WatchEvent" || gvk.Kind == "Status" ||
		strings.HasSuffix(gvk.Kind, "List") || strings.HasSuffix(gvk.Kind, "Options") {
		return false
	}
	if strings.Contains(gvk.Version, "beta") ||
		(strings.Contains(gvk.Version, "alpha") && gvk.Group != "scheduling.k8s.io") {
		return false
	}
	_, encodes := reflect.PointerTo(t).MethodByName("Unmarshal")
	return encodes
}

func (p *protobufTypes) line(t reflect.Type) string {
	line := "type " + p.names[t]
	for i := 0; i < t.NumField(); i++ {
		tag := strings.Split(t.Field(i).Tag.Get("protobuf"), ",")
		if len(tag) < 2 {
			continue
		}
		name := strings.Split(t.Field(i).Tag.Get("json"), ",")[0]
		if name == "" {
			name = "-"
		}
		line += fmt.Sprintf(" %s:%s:%s", tag[1], name, p.form(t.Field(i).Type))
	}
	return line
}

// runProtobufTable prints the table of src/server/protobuf/field_table.cpp.
func runProtobufTable([]string) int {
	types := &protobufTypes{names: map[reflect.Type]string{}}
	var kinds, lines []string
	add := func(apiVersion, kind string, t reflect.Type) {
		kinds = append(kinds, fmt.Sprintf("kind %s %s %s", apiVersion, kind, types.name(t)))
	}
	for gvk, t := range scheme.Scheme.AllKnownTypes() {
		if isStored(gvk, t) {
			add(gvk.GroupVersion().String(), gvk.Kind, t)
		}
	}
	add("v1", "DeleteOptions", reflect.TypeOf(metav1.DeleteOptions{}))
	add("apiextensions.k8s.io/v1", "CustomResourceDefinition", reflect.TypeOf(apiextensionsv1.CustomResourceDefinition{}))
	add("apiregistration.k8s.io/v1", "APIService", reflect.TypeOf(apiregistrationv1.APIService{}))
	add("v1", "Status", reflect.TypeOf(metav1.Status{}))
	add("v1", "APIGroupList", reflect.TypeOf(metav1.APIGroupList{}))
	add("v1", "APIResourceList", reflect.TypeOf(metav1.APIResourceList{}))
	add("meta.k8s.io/v1", "PartialObjectMetadata", reflect.TypeOf(metav1.PartialObjectMetadata{}))
	types.name(reflect.TypeOf(metav1.ListMeta{})) // Of every list.
	for i := 0; i < len(types.order); i++ {
		lines = append(lines, types.line(types.order[i]))
	}
	sort.Strings(kinds)
	sort.Strings(lines)
	fmt.Println(strings.Join(append(kinds, lines...), "\n"))
	return 0
}
