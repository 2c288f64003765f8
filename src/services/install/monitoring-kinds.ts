/** The kinds of Prometheus' operator that an installation has objects of. */
import type { Resource } from '@turnsole/kube/kinds/resources';

export const SERVICE_MONITORS: Resource = {
  group: 'monitoring.coreos.com',
  version: 'v1',
  plural: 'servicemonitors',
  kind: 'ServiceMonitor',
  namespaced: true,
};

export const PROMETHEUS_RULES: Resource = {
  ...SERVICE_MONITORS,
  plural: 'prometheusrules',
  kind: 'PrometheusRule',
};
