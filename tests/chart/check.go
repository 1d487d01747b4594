package main

import (
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// One suite: settings, and what the chart must give for them.
type suite struct {
	Name    string                 `json:"name"`
	Set     map[string]interface{} `json:"set"`
	Upgrade bool                   `json:"upgrade"`
	Fails   string                 `json:"fails"` // Rendering fails with this in its message.
	Expect  []expectation          `json:"expect"`
}

// About one object, "Kind/name". Without a path: that it is there.
type expectation struct {
	Object string      `json:"object"`
	Absent bool        `json:"absent"`
	Path   string      `json:"path"` // spec.template.spec.containers.0.image
	Is     interface{} `json:"is"`
	Has    interface{} `json:"has"` // An item of the list there.
	Lacks  interface{} `json:"lacks"`
}

func check(chart, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var suites []suite
	if err := yaml.UnmarshalStrict(text, &suites); err != nil {
		return err
	}
	failed := 0
	for _, each := range suites {
		for _, problem := range each.problems(chart) {
			fmt.Printf("%s: %s\n", each.Name, problem)
			failed++
		}
	}
	if failed > 0 || len(suites) == 0 {
		return fmt.Errorf("%d expectations do not hold", failed)
	}
	fmt.Printf("the chart renders; %d suites hold\n", len(suites))
	return nil
}

func (s suite) problems(chart string) []string {
	text, err := render(chart, s.Set, s.Upgrade)
	if s.Fails != "" {
		if err == nil || !strings.Contains(err.Error(), s.Fails) {
			return []string{fmt.Sprintf("should fail with %q, got %v", s.Fails, err)}
		}
		return nil
	}
	if err != nil {
		return []string{err.Error()}
	}
	objects, err := split(text)
	if err != nil {
		return []string{err.Error()}
	}
	var problems []string
	for _, each := range s.Expect {
		if problem := each.problem(objects); problem != "" {
			problems = append(problems, problem)
		}
	}
	return problems
}

func split(text string) (map[string]interface{}, error) {
	objects := map[string]interface{}{}
	for _, document := range strings.Split("\n"+text, "\n---\n") {
		var object map[string]interface{}
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			return nil, err
		}
		if object == nil {
			continue
		}
		name := fmt.Sprintf("%v/%v", object["kind"], at(object, "metadata.name"))
		if _, twice := objects[name]; twice && at(object, "metadata.namespace") == nil {
			return nil, fmt.Errorf("%s is there twice", name)
		}
		objects[name] = object
	}
	return objects, nil
}

func at(value interface{}, path string) interface{} {
	for _, step := range strings.Split(path, ".") {
		switch inner := value.(type) {
		case map[string]interface{}:
			value = inner[strings.ReplaceAll(step, "|", ".")]
		case []interface{}:
			index, err := strconv.Atoi(step)
			if err != nil || index >= len(inner) {
				return nil
			}
			value = inner[index]
		default:
			return nil
		}
	}
	return value
}

func (e expectation) problem(objects map[string]interface{}) string {
	object, there := objects[e.Object]
	if there == e.Absent {
		return fmt.Sprintf("%s: there is %v, absent is expected to be %v", e.Object, there, e.Absent)
	}
	if e.Path == "" {
		return ""
	}
	found := at(object, e.Path)
	if e.Has == nil && e.Lacks == nil {
		if !reflect.DeepEqual(found, e.Is) {
			return fmt.Sprintf("%s %s is %v, not %v", e.Object, e.Path, found, e.Is)
		}
		return ""
	}
	if e.Has != nil && !contains(found, e.Has) {
		return fmt.Sprintf("%s %s is %v, without %v", e.Object, e.Path, found, e.Has)
	}
	if e.Lacks != nil && contains(found, e.Lacks) {
		return fmt.Sprintf("%s %s is %v, with %v", e.Object, e.Path, found, e.Lacks)
	}
	return ""
}

// In a list an equal item, in a text a part.
func contains(whole, part interface{}) bool {
	if text, ok := whole.(string); ok {
		return strings.Contains(text, fmt.Sprint(part))
	}
	items, _ := whole.([]interface{})
	for _, item := range items {
		if reflect.DeepEqual(item, part) {
			return true
		}
	}
	return false
}
