// Renders a Helm chart with Helm's own engine: chart CHART [KEY=VALUE…]
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

func render(path string, settings []string) (string, error) {
	chart, err := loader.Load(path)
	if err != nil {
		return "", err
	}
	values := map[string]interface{}{}
	for _, setting := range settings {
		if err := strvals.ParseInto(setting, values); err != nil {
			return "", err
		}
	}
	release := chartutil.ReleaseOptions{Name: "coppice", Namespace: namespace, IsInstall: true, Revision: 1}
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

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: chart CHART [KEY=VALUE…]")
		os.Exit(2)
	}
	text, err := render(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(text)
}
