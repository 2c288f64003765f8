import { isObject } from '@turnsole/kube/text/json';

/** Spellings that Argo has given up, under the names that its metric gives them. They work here as before. */
type Feature =
  | 'cronworkflow schedule'
  | 'synchronization mutex'
  | 'synchronization semaphore'
  | 'workflow podpriority';

/** Old spellings in the spec of a workflow as served, each once. Pure. */
export function deprecatedInWorkflow(spec: unknown): Feature[] {
  if (!isObject(spec)) return [];
  const templates = Array.isArray(spec['templates']) ? spec['templates'].filter(isObject) : [];
  const locks = [spec, spec['templateDefaults'], ...templates].flatMap((part) =>
    isObject(part) && isObject(part['synchronization']) ? [part['synchronization']] : [],
  );
  const found: (Feature | false)[] = [
    locks.some(({ mutex }) => isObject(mutex)) && 'synchronization mutex',
    locks.some(({ semaphore }) => isObject(semaphore)) && 'synchronization semaphore',
    [spec['podPriority'], ...templates.map(({ priority }) => priority)].some(
      (priority) => priority !== undefined && priority !== null,
    ) && 'workflow podpriority',
  ];
  return found.filter((feature) => feature !== false);
}

/** The same for a CronWorkflow; features in its workflows count with them. Pure. */
export function deprecatedInCron(spec: unknown): Feature[] {
  const schedule = isObject(spec) ? spec['schedule'] : undefined;
  return typeof schedule === 'string' && schedule !== '' ? ['cronworkflow schedule'] : [];
}
