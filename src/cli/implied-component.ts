/**
 * The component that a container without any argument is meant to be: upstream's images of runner and exporter are started
 * without arguments, and the operator starts any image of these so. Pure.
 *
 * @returns undefined when the environment names none; then this is a person who typed `turnsole`
 */
export function impliedComponent(
  env: Readonly<Record<string, string | undefined>>,
): 'runner' | 'exporter' | undefined {
  // Upstream's manifests of the exporter of a namespace or a cluster have one of these.
  if (env.CHAOSENGINE === undefined) {
    const { TSDB_SCRAPE_INTERVAL, AWS_CLOUDWATCH_METRIC_NAMESPACE } = env;
    return (TSDB_SCRAPE_INTERVAL ?? AWS_CLOUDWATCH_METRIC_NAMESPACE) === undefined ? undefined : 'exporter';
  }
  if (env.EXPERIMENT_LIST !== undefined) return 'runner';
  // Both get the engine and, of an experiment's variables, none.
  return env.APP_NAMESPACE !== undefined && env.EXPERIMENT_NAME === undefined ? 'exporter' : undefined;
}
