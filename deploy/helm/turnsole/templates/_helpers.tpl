{{- define "turnsole.image" -}}
{{ $.Values.image.repository }}{{ if $.Values.image.digest }}@{{ $.Values.image.digest }}{{ else }}:{{ $.Values.image.tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "turnsole.leaderElect" -}}
{{- if kindIs "invalid" $.Values.leaderElect }}{{ gt (int $.Values.replicas) 1 }}{{ else }}{{ $.Values.leaderElect }}{{ end }}
{{- end }}

{{- define "turnsole.faultNamespaces" -}}
{{- if $.Values.faultNamespaces }}{{ join "," $.Values.faultNamespaces }}{{ else }}{{ $.Values.watchNamespace | default $.Release.Namespace }}{{ end }}
{{- end }}

{{- define "turnsole.policyVersion" -}}
{{- if $.Capabilities.APIVersions.Has "policy/v1" }}policy/v1{{ else }}policy/v1beta1{{ end }}
{{- end }}
