/**
 * Variables that LitmusChaos has or had and that change nothing here, each with the reason. Who sets one is told, unless the ChaosExperiment
 * declares it: then its chart brings it, and the user has not asked for it.
 */
export const UNUSED_VARIABLES: Readonly<Record<string, string>> = {
  LIB: 'there is one library',
  TC_IMAGE: 'helpers bring their tools',
  STRESS_IMAGE: 'helpers bring their tools',
  CONTAINER_PATH: 'no runtime socket is mounted',
  CONTAINER_RUNTIME: 'containers are found by their cgroup',
  SOCKET_PATH: 'no runtime socket is mounted',
  CONTAINER_API_TIMEOUT: 'no runtime is asked',
  STATUS_CHECK_DELAY: 'waits follow changes instead of a fixed delay',
};

/** Variables of the programs and libraries in the pod: they are read there, and are no settings. */
const OF_PROGRAMS: readonly RegExp[] = [
  // Clouds, clusters and traces: the libraries of Turnsole's parts for them read these.
  /^(?:AWS|AZURE|GOOGLE|GCP|KUBERNETES|OTEL)_/,
  // The names of Node, of its TLS and of proxies.
  /^(?:NODE_OPTIONS|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|KUBECONFIG|TZ|PATH|HOME)$/,
  /^(?:HTTP_PROXY|HTTPS_PROXY|NO_PROXY|http_proxy|https_proxy|no_proxy)$/,
];

/** Whether a variable is for programs in the pod, and none of the experiment's settings. Pure. */
export function isOfPrograms(name: string): boolean {
  return OF_PROGRAMS.some((pattern) => pattern.test(name));
}
