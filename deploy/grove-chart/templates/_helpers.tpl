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

{{/* config.server as in values.yaml, also where somebody's values have null for a part or a key of it:
Helm takes that away. */}}
{{- define "grove.server" -}}
{{- $webhooks := dict "bindAddress" "0.0.0.0" "port" 9443 "serverCertDir" "/etc/grove-operator/webhook-certs" "secretName" "grove-webhook-server-cert" "certProvisionMode" "auto" -}}
{{- $defaults := dict "webhooks" $webhooks "healthProbes" (dict "enable" true "port" 9444) "metrics" (dict "port" 9445) -}}
{{- $server := deepCopy (.Values.config.server | default dict) -}}
{{- range $part, $keys := $defaults -}}
{{- $given := get $server $part | default dict -}}
{{- range $key, $value := $keys -}}
{{- if kindIs "invalid" (index $given $key) -}}{{- $_ := set $given $key $value -}}{{- end -}}
{{- end -}}
{{- $_ := set $server $part $given -}}
{{- end -}}
{{ toYaml $server }}
{{- end -}}

{{- define "grove.config" -}}
apiVersion: operator.config.grove.io/v1alpha1
kind: OperatorConfiguration
{{ set (deepCopy .Values.config) "server" (include "grove.server" . | fromYaml) | toYaml }}
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
{{- range (.root.Values.config.scheduler).profiles -}}{{- if eq .name $wanted -}}yes{{- end -}}{{- end -}}
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
{{- $server := include "grove.server" .root | fromYaml }}
{{- if and (eq $server.webhooks.certProvisionMode "manual") .values.annotations }}
annotations: {{ toYaml .values.annotations | nindent 2 }}
{{- end }}
{{- end -}}
