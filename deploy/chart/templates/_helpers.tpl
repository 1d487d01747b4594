{{/* A name that nobody knows would be a process that cannot start, or a setting without effect. */}}
{{- define "coppice.check" -}}
{{- $known := list "admission" "binder" "grouper" "operator" "podgroups" "queues" "scaleadjuster" "scheduler" -}}
{{- range $name, $on := .Values.components -}}
{{- if not (has $name $known) -}}{{- fail (printf "components.%s: there is none of this name; known are %s" $name (join ", " $known)) -}}{{- end -}}
{{- end -}}
{{- range $name, $flags := .Values.extraArgs -}}
{{- if not (has $name (append $known "platform")) -}}{{- fail (printf "extraArgs.%s: there is no component of this name" $name) -}}{{- end -}}
{{- end -}}
{{- end -}}

{{- define "coppice.enabled" -}}
{{- $names := list -}}
{{- range $name, $on := .Values.components -}}{{- if $on -}}{{- $names = append $names $name -}}{{- end -}}{{- end -}}
{{- if not $names -}}{{- fail "components: all are switched off" -}}{{- end -}}
{{- join " " $names -}}
{{- end -}}

{{/* The processes of the chart: name → what it runs. */}}
{{- define "coppice.processes" -}}
{{- include "coppice.check" . -}}
{{- if eq .Values.form "one" -}}
all: {{ include "coppice.enabled" . | quote }}
{{- else if eq .Values.form "separate" -}}
{{- range $name := splitList " " (include "coppice.enabled" .) }}
{{ $name }}: {{ $name }}
{{- end -}}
{{- else if eq .Values.form "platform" -}}
platform: platform
{{- if .Values.components.operator }}
operator: operator
{{- end -}}
{{- else -}}
{{- fail (printf "form must be \"separate\", \"one\" or \"platform\", not %q" .Values.form) -}}
{{- end -}}
{{- end -}}

{{/* Service account → the components whose rights it has. */}}
{{- define "coppice.accounts" -}}
{{- range $name, $what := include "coppice.processes" . | fromYaml }}
coppice-{{ $name }}: {{ $what | quote }}
{{- end }}
{{- if eq .Values.form "platform" }}
{{- $stack := dict "grouper" "pod-grouper" "podgroups" "podgroup-controller" "queues" "queue-controller" "scheduler" "scheduler" "binder" "binder" "admission" "admission" "scaleadjuster" "node-scale-adjuster" }}
{{- $here := list }}
{{- range $component, $account := $stack }}
{{- if index $.Values.components $component }}
{{- $here = append $here $component }}
{{ $account }}: {{ $component }}
{{- end }}
{{- end }}
kai-services: {{ join " " $here | quote }}
numa-placement-exporter: numaexporter
{{- end }}
{{- end -}}

{{/* The components that answer webhooks, of those that run in a process. */}}
{{- define "coppice.webhooks" -}}
{{- $names := list -}}
{{- range $name := splitList " " .what -}}
{{- if and $.root.Values.webhooks (has $name (list "admission" "queues" "podgroups")) -}}{{- $names = append $names $name -}}{{- end -}}
{{- end -}}
{{- join " " $names -}}
{{- end -}}

{{- define "coppice.labels" -}}
app.kubernetes.io/name: coppice
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end -}}

{{- define "coppice.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
