/** Default of PROTECTED_NAMESPACES: a selector that is a little too wide must not take the cluster's own pods. */
export const DEFAULT_PROTECTED_NAMESPACES: readonly string[] = ['kube-system'];
