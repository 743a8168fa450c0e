{{- define "moorage.name" -}}
{{ .Values.fullnameOverride | default .Release.Name | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "moorage.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- define "moorage.selector" -}}
{app.kubernetes.io/name: moorage, app.kubernetes.io/instance: {{ include "moorage.name" . }}}
{{- end }}

{{- define "moorage.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (include "moorage.name" .) }}
{{- end }}

{{/* Whether the release runs `moorage run`, so that it elects a leader and serves port 10259. */}}
{{- define "moorage.isScheduler" -}}
{{- if has .Values.mode (list "second-scheduler" "replacement") }}true{{ end -}}
{{- end }}

{{/* Whether the release needs the rights of kube-scheduler. */}}
{{- define "moorage.hasRights" -}}
{{- if or (include "moorage.isScheduler" .) (and (eq .Values.mode "extender") .Values.extender.nodeCache) }}true{{ end -}}
{{- end }}

{{/* The configuration, as an object: the chart's defaults below what the values set. */}}
{{- define "moorage.config" -}}
{{- $replaces := eq .Values.mode "replacement" -}}
{{- $name := include "moorage.name" . -}}
{{- $lease := ternary "kube-scheduler" $name $replaces -}}
{{- $namespace := ternary "kube-system" .Release.Namespace $replaces -}}
{{- $election := dict "leaderElect" true "resourceName" $lease "resourceNamespace" $namespace -}}
{{- $scheduler := .Values.schedulerName | default (ternary "default-scheduler" $name $replaces) -}}
{{- $profiles := list (dict "schedulerName" $scheduler) -}}
{{- $defaults := dict "apiVersion" "kubescheduler.config.k8s.io/v1" "kind" "KubeSchedulerConfiguration" -}}
{{- $defaults = merge $defaults (dict "leaderElection" $election "profiles" $profiles) -}}
{{- toYaml (merge (deepCopy (.Values.config | default dict)) $defaults) -}}
{{- end }}

{{/* The text of the file scheduler.yaml. */}}
{{- define "moorage.configText" -}}
{{- if kindIs "string" .Values.config }}{{ .Values.config | trim }}{{ else }}{{ include "moorage.config" . }}{{ end -}}
{{- end }}

{{/* The Lease as "NAMESPACE NAME", which the Role of leader election names. */}}
{{- define "moorage.lease" -}}
{{- $election := (fromYaml (include "moorage.configText" .)).leaderElection | default dict -}}
{{- $namespace := $election.resourceNamespace | default "kube-system" -}}
{{- $lease := $election.resourceName | default "kube-scheduler" -}}
{{- $isTheirs := and (eq $namespace "kube-system") (eq $lease "kube-scheduler") -}}
{{- if and $isTheirs (ne .Values.mode "replacement") -}}
{{- $expected := printf "resourceNamespace: %s, resourceName: %s" .Release.Namespace (include "moorage.name" .) -}}
{{- fail (printf "config.leaderElection: the Lease is kube-scheduler's own (expected: %s)" $expected) -}}
{{- end -}}
{{ $namespace }} {{ $lease }}
{{- end }}
