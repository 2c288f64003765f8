import { stringify } from 'yaml';

/** What is written into turnsole.yaml. */
interface ProjectContent {
  readonly manifests: readonly string[];
  readonly experiments: readonly string[];
  readonly namespace: string | undefined;
  /** Commands by image; undefined: nothing says what it is. */
  readonly images: ReadonlyMap<string, string | undefined>;
  /** Commands that make what those of the images start. */
  readonly build: readonly string[];
}

const SCHEMA = 'node_modules/turnsole/deploy/schemas/turnsole-project.json';

/** The text of turnsole.yaml. Images without a command stand in it as comments. Pure. */
export function projectText({ manifests, experiments, namespace, images, build }: ProjectContent): string {
  const known = [...images].filter(([, command]) => command !== undefined);
  const unknown = [...images].filter(([, command]) => command === undefined).map(([name]) => name);
  const fields = {
    ...(manifests.length > 0 && { manifests }),
    experiments,
    ...(namespace !== undefined && { namespace }),
    ...(build.length > 0 && { build }),
    ...(known.length > 0 && { images: Object.fromEntries(known) }),
  };
  return [
    `# yaml-language-server: $schema=${SCHEMA}`,
    '# What turnsole run, plan and up need to know of this project; docs/first-steps.md has all fields.',
    stringify(fields, { lineWidth: 120 }).trimEnd(),
    ...(unknown.length === 0
      ? []
      : [
          ...(known.length === 0 ? ['# images:'] : []),
          ...unknown.map(
            (name) => `#   ${name}: the command that this image stands for, such as node server.js`,
          ),
        ]),
    '',
  ].join('\n');
}
