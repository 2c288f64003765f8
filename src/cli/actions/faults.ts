import { faultRegistry } from '../../faults/index.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { objectsText, yamlText } from '../../services/manifests/yaml-text.ts';
import { describeFault } from '../faults/describe-fault.ts';
import { formatFault, formatFaultList } from '../faults/format-text.ts';
import { loadFault } from '../faults/load-fault.ts';

/** How the answer is written. */
type OutputFormat = 'text' | 'json' | 'yaml';

/** Options of `turnsole faults list`. */
export interface ListOptions {
  readonly output: OutputFormat;
}

/** Options of `turnsole faults show`. */
export interface ShowOptions extends ListOptions {
  readonly all?: boolean;
}

/** Options of `turnsole faults chart`. */
export interface ChartOptions {
  readonly output: 'yaml' | 'json';
  readonly namespace: string;
  readonly image?: string;
}

/** `turnsole faults list`: every fault with a sentence. */
export async function list({ output }: ListOptions): Promise<number> {
  const faults = await Promise.all([...faultRegistry.values()].map((load) => load()));
  print(output, () => formatFaultList(faults), faults.map(describeFault));
  return EXIT.pass;
}

/** `turnsole faults show NAME`: what it does to what, its settings, its permissions. */
export async function show(name: string, { output, all }: ShowOptions): Promise<number> {
  const fault = await loadFault(name);
  print(output, () => formatFault(fault, { all: all === true }), describeFault(fault));
  return EXIT.pass;
}

/**
 * `turnsole faults chart NAME`: ChaosExperiment, service account and roles, as `turnsole install --faults NAME` makes them. A fault that
 * acts on all namespaces gets its permissions in all of them: with less it could not run, and the reader sees the grants.
 */
export async function chart(names: readonly string[], options: ChartOptions): Promise<number> {
  const faults = await Promise.all(names.map(loadFault));
  const [{ faultObjects }, { compileInstallSettings }, { packageVersion }] = await Promise.all([
    import('../../services/install/fault-objects.ts'),
    import('../../services/install/settings.ts'),
    import('../../process/version.ts'),
  ]);
  const { namespace, image } = options;
  const { settings } = compileInstallSettings(
    { namespace, faultNamespace: [namespace], ...(image === undefined ? {} : { image }) },
    { version: packageVersion(), faults: [] },
  );
  const objects = faults.flatMap((fault) =>
    faultObjects(fault, fault.everywhere === true ? { ...settings, faultScope: 'cluster' } : settings),
  );
  console.log(objectsText(objects, options.output));
  return EXIT.pass;
}

/** `turnsole faults new NAME`: writes a fault, its test and its line in the registry into a checkout of the project. */
export async function scaffold(
  name: string,
  options: import('../faults/scaffold-options.ts').ScaffoldOptions,
): Promise<number> {
  const { writeScaffold } = await import('../faults/write-scaffold.ts');
  for (const file of await writeScaffold(name, options)) console.log(file);
  console.log('next: npx biome check --write src/faults, then what docs/writing-a-fault.md says');
  return EXIT.pass;
}

function print(output: OutputFormat, text: () => readonly string[], data: unknown): void {
  if (output === 'text') console.log(text().join('\n'));
  else console.log(output === 'json' ? JSON.stringify(data, null, 2) : yamlText(data).trimEnd());
}
