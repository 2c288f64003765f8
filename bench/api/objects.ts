/** The objects that are written: no controller acts on them, on neither server. */

/** A kind to measure. */
export interface Subject {
  readonly title: string;
  readonly plural: string;
  /** JSON of an object; `generation` makes an update differ from the present object. */
  readonly body: (name: string, generation: number) => string;
}

/** Ten values of ten lines each: about the size of a usual configuration. */
const DATA = Object.fromEntries(
  Array.from({ length: 10 }, (_, index) => [`key-${index}`, 'a line of text\n'.repeat(5)]),
);

/** One kilobyte of data that no server looks into. */
export const CONFIG_MAP: Subject = {
  title: 'config map',
  plural: 'configmaps',
  body: (name, generation) =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, labels: { app: 'bench', shard: `s${name.length}` } },
      data: { ...DATA, generation: String(generation) },
    }),
};

/** A usual pod, with everything that admission, defaults and validation do to it. No scheduler feels responsible. */
export const POD: Subject = {
  title: 'pod',
  plural: 'pods',
  body: (name, generation) =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name,
        labels: { app: 'bench', tier: 'web', version: 'v1' },
        annotations: { generation: String(generation) },
      },
      spec: {
        schedulerName: 'nobody',
        serviceAccountName: 'default',
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'web',
            image: 'registry.example/web:1.2.3',
            command: ['/bin/web', '--listen', ':8080'],
            ports: [{ name: 'http', containerPort: 8080 }],
            env: [
              { name: 'LOG_LEVEL', value: 'info' },
              { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            ],
            resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
            readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 5 },
            volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
          },
        ],
        volumes: [{ name: 'scratch', emptyDir: {} }],
      },
    }),
};
