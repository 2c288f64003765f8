/**
 * Examples of the kinds and probes, as `turnsole explain` and docs/reference show them and `turnsole new probe` prints them. A test runs them on
 * a service `web` with the Deployment of that name.
 */

import type { ProbeType } from '../../api/probe-types/index.ts';

/** Probes by their type. */
export const PROBE_EXAMPLES = {
  httpProbe: `name: web-answers
type: httpProbe
mode: Continuous
httpProbe/inputs:
  url: http://web.default.svc.cluster.local:8080/
  method:
    get: { criteria: ==, responseCode: "200" }
runProperties: { probeTimeout: 2s, interval: 0s, probePollingInterval: 500ms }
`,
  cmdProbe: `name: queue-is-short
type: cmdProbe
mode: Edge
cmdProbe/inputs:
  command: echo 3
  comparator: { type: int, criteria: <=, value: "10" }
runProperties: { probeTimeout: 5s, interval: 1s, attempt: 2 }
`,
  k8sProbe: `name: pods-are-there
type: k8sProbe
mode: EOT
k8sProbe/inputs:
  version: v1
  resource: pods
  namespace: default
  labelSelector: app=web
  operation: present
runProperties: { probeTimeout: 5s, interval: 1s, attempt: 3 }
`,
  promProbe: `name: few-errors
type: promProbe
mode: EOT
promProbe/inputs:
  endpoint: http://prometheus.monitoring.svc.cluster.local:9090
  query: sum(rate(http_requests_total{code=~"5.."}[1m]))
  comparator: { criteria: <=, value: "0.1" }
runProperties: { probeTimeout: 5s, interval: 1s, attempt: 3 }
`,
  sloProbe: `name: budget-holds
type: sloProbe
mode: EOT
sloProbe/inputs:
  platformEndpoint: https://slo.example/gateway/cv/api
  sloIdentifier: checkout-latency
  sloSourceMetadata:
    apiTokenSecret: slo-token
    scope: { accountIdentifier: shop, orgIdentifier: default, projectIdentifier: checkout }
  comparator: { criteria: <=, value: "5" }
runProperties: { probeTimeout: 30s, interval: 5s, evaluationTimeout: 2m }
`,
  loadProbe: `name: users
type: loadProbe
mode: Continuous
loadProbe/inputs:
  rate: 20
  requests:
    - url: http://web.default.svc.cluster.local:8080/
tolerance: { failed: 1%, outage: 2s }
runProperties: { probeTimeout: 2s, interval: 0s }
`,
} as const satisfies Readonly<Record<ProbeType, string>>;

/** Objects by their kind. */
export const KIND_EXAMPLES = {
  ChaosEngine: `apiVersion: litmuschaos.io/v1alpha1
kind: ChaosEngine
metadata:
  name: web-pod-delete
spec:
  engineState: active
  chaosServiceAccount: pod-delete-sa
  selectors:
    workloads:
      - { kind: deployment, namespace: default, names: web }
  experiments:
    - name: pod-delete
      spec:
        components:
          env:
            - { name: TOTAL_CHAOS_DURATION, value: "6" }
            - { name: CHAOS_INTERVAL, value: "3" }
        probe:
          - name: web-answers
            type: httpProbe
            mode: Continuous
            httpProbe/inputs:
              url: http://web.default.svc.cluster.local:8080/
              method:
                get: { criteria: ==, responseCode: "200" }
            runProperties: { probeTimeout: 2s, interval: 0s, probePollingInterval: 500ms }
`,
  ChaosExperiment: `apiVersion: litmuschaos.io/v1alpha1
kind: ChaosExperiment
metadata:
  name: pod-delete
spec:
  definition:
    scope: Namespaced
    image: turnsole/turnsole
    args: [experiment, -name, pod-delete]
    env:
      - { name: TOTAL_CHAOS_DURATION, value: "30" }
      - { name: CHAOS_INTERVAL, value: "10" }
`,
  ChaosSchedule: `apiVersion: litmuschaos.io/v1alpha1
kind: ChaosSchedule
metadata:
  name: web-every-hour
spec:
  schedule:
    repeat:
      properties:
        minChaosInterval: { hour: { everyNthHour: 1, minuteOfTheHour: 15 } }
      workHours: { includedHours: 9-17 }
      workDays: { includedDays: Mon-Fri }
  concurrencyPolicy: Forbid
  engineTemplateSpec:
    chaosServiceAccount: pod-delete-sa
    selectors:
      workloads:
        - { kind: deployment, namespace: default, names: web }
    experiments:
      - name: pod-delete
        spec:
          components:
            env:
              - { name: TOTAL_CHAOS_DURATION, value: "3" }
              - { name: CHAOS_INTERVAL, value: "3" }
`,
} as const;
