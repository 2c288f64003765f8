/** The Kubernetes release whose API the embedded cluster speaks; nodes and discovery report it. */
export const KUBERNETES_VERSION = 'v1.36.3';
