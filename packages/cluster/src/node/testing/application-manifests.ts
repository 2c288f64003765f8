/** The official kinds of objects of the applications in application-images.ts. */

/** A Deployment of an image `mine/NAME:1` and its Service. @param probe how it says that it is ready */
export function deployment(name: string, port: number, probe: string, container = '', spec = ''): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      ${spec}
      containers:
        - name: main
          image: mine/${name}:1
          readinessProbe: { periodSeconds: 1, ${probe} }
          ${container}
---
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { selector: { app: ${name} }, ports: [{ port: ${port} }] }
`;
}

/** A StatefulSet with a claim, a configuration, and a group that owns its volume. */
export const REDIS = `
apiVersion: v1
kind: ConfigMap
metadata: { name: redis }
data: { redis.conf: "maxmemory 8mb\\ndir /data\\n" }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: redis }
spec:
  serviceName: redis
  selector: { matchLabels: { app: redis } }
  template:
    metadata: { labels: { app: redis } }
    spec:
      securityContext: { fsGroup: 1000 }
      containers:
        - name: main
          image: mine/redis:1
          args: [/etc/redis/redis.conf]
          readinessProbe: { periodSeconds: 1, timeoutSeconds: 30, exec: { command: [redis-cli, ping] } }
          volumeMounts: [{ name: data, mountPath: /data }, { name: config, mountPath: /etc/redis }]
      volumes: [{ name: config, configMap: { name: redis } }]
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`;

/** A StatefulSet with a claim, which the image's entry point gives to another user. */
export const POSTGRES = `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: postgres }
spec:
  serviceName: postgres
  selector: { matchLabels: { app: postgres } }
  template:
    metadata: { labels: { app: postgres } }
    spec:
      containers:
        - name: main
          image: mine/postgres:1
          env: [{ name: PGDATA, value: /var/lib/postgresql/data/pg }]
          readinessProbe: { periodSeconds: 1, timeoutSeconds: 30, exec: { command: [pg_isready, -U, postgres] } }
          volumeMounts: [{ name: data, mountPath: /var/lib/postgresql/data }]
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`;

/** A Deployment with a site from a config map. */
export const NGINX = `
apiVersion: v1
kind: ConfigMap
metadata: { name: site }
data: { default.conf: "server { listen 80; location / { return 200 'from the map'; } }" }
---
${deployment('nginx', 80, 'httpGet: { path: /, port: 80 }', 'volumeMounts: [{ name: site, mountPath: /etc/nginx/conf.d }]', 'volumes: [{ name: site, configMap: { name: site } }]')}`;
