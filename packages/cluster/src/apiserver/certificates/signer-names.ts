/** Signers whose certificates this cluster issues. Source: kubernetes.io, Certificate Signing Requests, Kubernetes signers. */
export const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';
export const KUBELET_CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
export const KUBELET_SERVING_SIGNER = 'kubernetes.io/kubelet-serving';
