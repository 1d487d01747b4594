// Helm's own engine on our chart:
//
//	chart render CHART [KEY=VALUE…]   prints what the chart gives
//	chart hooks CHART [KEY=VALUE…]    of that, what runs before and after the rest
//	chart check CHART SUITES          checks what it gives for many settings
package main

import (
	"fmt"
	"os"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/strvals"
)

const namespace = "coppice-system"

func render(path string, values map[string]interface{}, upgrade bool) (string, error) {
	chart, err := loader.Load(path)
	if err != nil {
		return "", err
	}
	release := chartutil.ReleaseOptions{Name: "coppice", Namespace: namespace, IsInstall: !upgrade,
		IsUpgrade: upgrade, Revision: 1}
	all, err := chartutil.ToRenderValues(chart, values, release, chartutil.DefaultCapabilities)
	if err != nil {
		return "", err
	}
	files, err := engine.Render(chart, all)
	if err != nil {
		return "", err
	}
	return join(files), nil
}

func parse(settings []string) (map[string]interface{}, error) {
	values := map[string]interface{}{}
	for _, setting := range settings {
		if err := strvals.ParseInto(setting, values); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// The documents of all files, in the order of their names.
func join(files map[string]string) string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	var out strings.Builder
	for _, name := range names {
		if text := strings.TrimSpace(files[name]); strings.HasSuffix(name, ".yaml") && text != "" {
			out.WriteString("---\n" + strings.TrimPrefix(text, "---\n") + "\n")
		}
	}
	return out.String()
}

func onlyHooks(text string) string {
	var out strings.Builder
	for _, document := range strings.Split("\n"+text, "\n---\n") {
		if strings.Contains(document, "helm.sh/hook:") {
			out.WriteString("---\n" + strings.TrimSpace(document) + "\n")
		}
	}
	return out.String()
}

func run(args []string) error {
	if len(args) >= 2 && (args[0] == "render" || args[0] == "hooks") {
		values, err := parse(args[2:])
		if err != nil {
			return err
		}
		text, err := render(args[1], values, false)
		if args[0] == "hooks" {
			text = onlyHooks(text)
		}
		fmt.Print(text)
		return err
	}
	if len(args) == 3 && args[0] == "check" {
		return check(args[1], args[2])
	}
	return fmt.Errorf("usage: chart render|hooks CHART [KEY=VALUE…] | chart check CHART SUITES")
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
