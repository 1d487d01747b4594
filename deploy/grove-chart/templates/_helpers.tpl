{{- define "grove.labels" -}}
app.kubernetes.io/name: grove-operator
app.kubernetes.io/part-of: grove
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{/* Labels of everything, and the further ones that a value gives. */}}
{{- define "grove.allLabels" -}}
{{ include "grove.labels" .root }}
{{- with .more }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "grove.config" -}}
apiVersion: operator.config.grove.io/v1alpha1
kind: OperatorConfiguration
{{ toYaml .Values.config }}
{{- end -}}

{{- define "grove.configName" -}}
grove-operator-cm-{{ include "grove.config" . | sha256sum | trunc 8 }}
{{- end -}}

{{- define "grove.image" -}}
{{- $tag := .image.tag | default .root.Chart.AppVersion -}}
{{ .image.repository }}{{ if hasPrefix "sha256:" $tag }}@{{ else }}:{{ end }}{{ $tag }}
{{- end -}}

{{- define "grove.hasProfile" -}}
{{- $wanted := .name -}}
{{- range .root.Values.config.scheduler.profiles -}}{{- if eq .name $wanted -}}yes{{- end -}}{{- end -}}
{{- end -}}

{{/* One entry of a webhook configuration. */}}
{{- define "grove.webhook" -}}
- name: {{ .name }}
  admissionReviewVersions: [v1]
  clientConfig:
    {{- with .root.Values.webhooks.caBundle }}
    caBundle: {{ . }}
    {{- end }}
    service: {name: {{ .root.Values.service.name }}, namespace: {{ .root.Release.Namespace }}, path: {{ .path }}, port: {{ .root.Values.service.port }}}
  failurePolicy: Fail
  matchPolicy: Exact
  sideEffects: None
  timeoutSeconds: 10
{{- end -}}

{{- define "grove.webhookMetadata" -}}
name: {{ .name }}
labels:
  {{- include "grove.allLabels" (dict "root" .root "more" .values.labels) | nindent 2 }}
{{- if and (eq .root.Values.config.server.webhooks.certProvisionMode "manual") .values.annotations }}
annotations: {{ toYaml .values.annotations | nindent 2 }}
{{- end }}
{{- end -}}
