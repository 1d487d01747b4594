{{- define "coppice.enabled" -}}
{{- $names := list -}}
{{- range $name, $on := .Values.components -}}{{- if $on -}}{{- $names = append $names $name -}}{{- end -}}{{- end -}}
{{- join " " $names -}}
{{- end -}}

{{/* The processes: name → what it runs. */}}
{{- define "coppice.processes" -}}
{{- if eq .Values.form "one" -}}
all: {{ include "coppice.enabled" . | quote }}
{{- else if eq .Values.form "separate" -}}
{{- range $name := splitList " " (include "coppice.enabled" .) }}
{{ $name }}: {{ $name }}
{{- end -}}
{{- else -}}
{{- fail (printf "form must be \"one\" or \"separate\", not %q" .Values.form) -}}
{{- end -}}
{{- end -}}

{{- define "coppice.labels" -}}
app.kubernetes.io/name: coppice
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end -}}
