/**
 * The demonstration applications that Litmus' workflows deploy before their faults, as stand-ins: deployments and services with the names
 * and labels by which charts and probes find them. Their own images need a registry; a cluster of local processes has none.
 */
import type { KubeObject, ObjectMeta } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, type Resource, SERVICES } from '@turnsole/kube/kinds/resources';

/** A Deployment of an application: its name, and the port of its Service. Without a port it has no Service. */
type Part = readonly [name: string, port?: number];

const PARTS = {
  'sock-shop': [
    ['carts', 80],
    ['carts-db', 27017],
    ['catalogue', 80],
    ['catalogue-db', 3306],
    ['front-end', 80],
    ['orders', 80],
    ['orders-db', 27017],
    ['payment', 80],
    ['queue-master', 80],
    ['rabbitmq', 5672],
    ['shipping', 80],
    ['user', 80],
    ['user-db', 27017],
  ],
  'podtato-head': [
    ['podtato-main', 9000],
    ['podtato-hats', 9001],
    ['podtato-left-arm', 9002],
    ['podtato-left-leg', 9003],
    ['podtato-right-arm', 9004],
    ['podtato-right-leg', 9005],
  ],
  'bank-of-anthos': [
    ['accounts-db', 5432],
    ['balancereader', 8080],
    ['contacts', 8080],
    ['frontend', 80],
    ['ledger-db', 5432],
    ['ledgerwriter', 8080],
    ['loadgenerator'],
    ['transactionhistory', 8080],
    ['userservice', 8080],
  ],
  loadtest: [['loadtest']],
} as const satisfies Readonly<Record<string, readonly Part[]>>;

export type Application = keyof typeof PARTS;

export const APPLICATIONS = Object.keys(PARTS) as readonly Application[];

/** How an application stands up to the loss of a pod. */
export type Strength = 'weak' | 'resilient';

const REPLICAS: Readonly<Record<Strength, number>> = { weak: 1, resilient: 2 };

/** An object, and where it is stored. */
interface ApplicationObject {
  readonly resource: Resource;
  readonly object: KubeObject;
}

/** The label that all pods of an application have. */
export function applicationSelector(application: Application): string {
  return `app=${application}`;
}

/** How many pods an application has. Pure. */
export function podCount(application: Application, strength: Strength): number {
  return PARTS[application].length * REPLICAS[strength];
}

/** The objects of an application. Pure. */
export function applicationObjects(
  application: Application,
  strength: Strength,
  namespace: string,
): ApplicationObject[] {
  const parts: readonly Part[] = PARTS[application];
  return parts.flatMap(([name, port]) => {
    const labels = { app: application, name };
    const metadata: ObjectMeta = { name, namespace, labels };
    const deployment = {
      apiVersion: 'apps/v1',
      kind: DEPLOYMENTS.kind,
      metadata,
      spec: {
        replicas: REPLICAS[strength],
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container(name, port)] } },
      },
    };
    const service = {
      apiVersion: 'v1',
      kind: SERVICES.kind,
      metadata,
      spec: { selector: labels, ports: [{ port, targetPort: WEB_PORT }] },
    };
    return [
      { resource: DEPLOYMENTS, object: deployment },
      ...(port === undefined ? [] : [{ resource: SERVICES, object: service }]),
    ];
  });
}

const WEB_PORT = 8080;

/** A web server where something is served, else a process that stays. */
function container(name: string, port: number | undefined): object {
  if (port === undefined) return { name, image: 'busybox', command: ['sleep', '1000000'] };
  return {
    name,
    image: 'turnsole/sample-web',
    env: [{ name: 'PORT', value: String(WEB_PORT) }],
    ports: [{ containerPort: WEB_PORT }],
    readinessProbe: { httpGet: { path: '/healthz', port: WEB_PORT }, periodSeconds: 1 },
  };
}
