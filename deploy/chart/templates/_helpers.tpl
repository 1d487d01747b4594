{{/* A name that nobody knows would be a process that cannot start, or a setting without effect. */}}
{{- define "coppice.check" -}}
{{- $known := list "admission" "binder" "grouper" "operator" "podgroups" "queues" "scaleadjuster" "scheduler" -}}
{{- range $name, $on := .Values.components -}}
{{- if not (has $name $known) -}}{{- fail (printf "components.%s: there is none of this name; known are %s" $name (join ", " $known)) -}}{{- end -}}
{{- end -}}
{{- if and (eq .Values.form "platform") .Values.placementRules -}}{{- fail "placementRules: the Config of form \"platform\" has no place for them; use another form" -}}{{- end -}}
{{- range $name, $flags := .Values.extraArgs -}}
{{- if not (or (has $name (append $known "platform")) (hasPrefix "backend-" $name)) -}}{{- fail (printf "extraArgs.%s: there is no component of this name" $name) -}}{{- end -}}
{{- end -}}
{{- end -}}

{{- define "coppice.enabled" -}}
{{- $names := list -}}
{{- range $name, $on := .Values.components -}}{{- if $on -}}{{- $names = append $names $name -}}{{- end -}}{{- end -}}
{{- if not $names -}}{{- fail "components: all are switched off" -}}{{- end -}}
{{- join " " $names -}}
{{- end -}}

{{/* The enabled backends that the chart has rules for: id → whether Kueue admits their gangs. */}}
{{- define "coppice.backends" -}}
{{- $known := omit (.Files.Get "roles/backends.yaml" | fromYaml) "kueue" -}}
{{- $enabled := dict -}}
{{- if and (not (hasKey .Values.operatorConfig "scheduler")) (not (hasKey .Values.operatorConfig "compatibility")) -}}
{{- range $id, $rules := $known -}}{{- $enabled = set $enabled $id false -}}{{- end -}}
{{- else -}}
{{- $ids := dict "workload" "default" -}}
{{- range $id, $rules := $known -}}{{- $ids = set (set $ids $id $id) $rules.schedulerName $id -}}{{- end -}}
{{- $default := true -}}
{{- range $profile := dig "scheduler" "profiles" list .Values.operatorConfig -}}
{{- $id := index $ids ($profile.backend | default $profile.name) | default "" -}}
{{- if eq $id "default" -}}{{- $default = false -}}{{- end -}}
{{- if and $id (ne (toString $profile.enabled) "false") -}}
{{- $enabled = set $enabled $id (eq (dig "config" "admission" "" $profile) "kueue") -}}
{{- end -}}
{{- end -}}
{{- if $default -}}{{- $enabled = set $enabled "default" false -}}{{- end -}}
{{- end -}}
{{- toYaml $enabled -}}
{{- end -}}

{{/* Rules of backends, each once: .duty says for whom, .ids which. */}}
{{- define "coppice.backendRules" -}}
{{- $all := .root.Files.Get "roles/backends.yaml" | fromYaml -}}
{{- $enabled := include "coppice.backends" .root | fromYaml -}}
{{- $rules := list -}}
{{- range $id := .ids -}}
{{- $parts := list (index $all $id) -}}
{{- if index $enabled $id -}}{{- $parts = append $parts $all.kueue -}}{{- end -}}
{{- range $part := $parts -}}{{- range $rule := index $part $.duty -}}{{- $rules = append $rules (toJson $rule) -}}{{- end -}}{{- end -}}
{{- end -}}
{{- range $rule := .root.Values.backendRules -}}{{- $rules = append $rules (toJson $rule) -}}{{- end -}}
{{- range $rule := $rules | uniq }}
- {{ $rule }}
{{- end -}}
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
{{- if and .Values.separateBackends .Values.components.operator -}}
{{- range $id, $kueue := include "coppice.backends" . | fromYaml }}
backend-{{ $id }}: backend-{{ $id }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Service account → the components whose rights it has. */}}
{{- define "coppice.accounts" -}}
{{- range $name, $what := include "coppice.processes" . | fromYaml }}
coppice-{{ $name }}: {{ if has "operator" (splitList " " $what) }}{{ printf "%s operator-backends" $what | quote }}{{ else }}{{ $what | quote }}{{ end }}
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
