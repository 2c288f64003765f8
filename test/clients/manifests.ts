/** Manifests as a chart's templates give them: many documents, comments, empty ones in between. */

/** A kind of its own, with a schema, printer columns and the usual subresources. */
export const WIDGET_DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.shop.example.com }
spec:
  group: shop.example.com
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget, shortNames: [wg], categories: [all] }
  versions:
    - name: v1
      served: true
      storage: true
      subresources:
        status: {}
        scale: { specReplicasPath: .spec.size, statusReplicasPath: .status.size }
      additionalPrinterColumns:
        - { name: Size, type: integer, jsonPath: .spec.size }
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [size]
              properties:
                size: { type: integer, minimum: 1, description: How large it is. }
                color: { type: string, enum: [red, green], default: red }
            status:
              type: object
              properties:
                size: { type: integer }
                ready: { type: boolean }
`;

/** A custom object. */
export function widget(name: string, spec = '{ size: 3 }'): string {
  return `
apiVersion: shop.example.com/v1
kind: Widget
metadata: { name: ${name} }
spec: ${spec}
`;
}

/** A deployment whose pods do nothing. */
export function sleeper(name: string, replicas: number, image = 'busybox'): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, labels: { app: ${name} } }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      terminationGracePeriodSeconds: 0
      containers:
        - name: main
          image: ${image}
          command: [sh, -c, 'echo "${name} is up"; exec sleep 1000']
`;
}

/** The release of a chart: every document has the namespace written in, as \`helm template\` gives them. */
export function release(namespace: string): string {
  return `---
# Source: shop/templates/serviceaccount.yaml
apiVersion: v1
kind: ServiceAccount
metadata: { name: shop, namespace: ${namespace}, labels: { app.kubernetes.io/managed-by: Helm } }
automountServiceAccountToken: false
---
# Source: shop/templates/secret.yaml
apiVersion: v1
kind: Secret
metadata: { name: shop, namespace: ${namespace} }
type: Opaque
data: { password: "czNjcmV0" }
---
# Source: shop/templates/configmap.yaml
apiVersion: v1
kind: ConfigMap
metadata: { name: shop, namespace: ${namespace} }
data:
  app.properties: |
    greeting=hello
    limit=1
---
# Source: shop/templates/role.yaml
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: shop, namespace: ${namespace} }
rules:
  - apiGroups: [""]
    resources: [pods]
    verbs: [get, list]
---
# Source: shop/templates/rolebinding.yaml
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: shop, namespace: ${namespace} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: shop }
subjects:
  - { kind: ServiceAccount, name: shop, namespace: ${namespace} }
---
# Source: shop/templates/disabled.yaml
---
# Source: shop/templates/service.yaml
apiVersion: v1
kind: Service
metadata: { name: shop, namespace: ${namespace}, labels: { app: shop } }
spec:
  type: ClusterIP
  ports:
    - { port: 8080, targetPort: http, protocol: TCP, name: http }
  selector: { app: shop }
---
# Source: shop/templates/deployment.yaml
apiVersion: apps/v1
kind: Deployment
metadata: { name: shop, namespace: ${namespace}, labels: { app: shop } }
spec:
  replicas: 2
  selector: { matchLabels: { app: shop } }
  template:
    metadata:
      labels: { app: shop }
      annotations: { checksum/config: abc }
    spec:
      serviceAccountName: shop
      terminationGracePeriodSeconds: 0
      containers:
        - name: shop
          image: busybox
          imagePullPolicy: IfNotPresent
          command: [sleep, "1000"]
          ports:
            - { name: http, containerPort: 8080, protocol: TCP }
          envFrom:
            - configMapRef: { name: shop }
          resources:
            limits: { cpu: 100m, memory: 64Mi }
            requests: { cpu: 50m, memory: 32Mi }
---
# Source: shop/templates/ingress.yaml
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: shop, namespace: ${namespace} }
spec:
  rules:
    - host: shop.local
      http:
        paths:
          - path: /
            pathType: Prefix
            backend: { service: { name: shop, port: { number: 8080 } } }
---
# Source: shop/templates/widget.yaml
apiVersion: shop.example.com/v1
kind: Widget
metadata: { name: shop, namespace: ${namespace} }
spec: { size: 3 }
`;
}
