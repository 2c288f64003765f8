/** What a Dockerfile says of the image that it builds. All of it is pure. */

/** Ports on which programs of an image listen, in one range. */
interface PortRange {
  readonly from: number;
  /** The last one; of a single port the same. */
  readonly to: number;
}

/** An image, as far as its Dockerfile says it. */
interface DockerfileImage {
  /** Set by ENV, in order; a reference to what is not known stays in its value as it is written. */
  readonly variables: ReadonlyMap<string, string>;
  /** Those of EXPOSE for TCP, in order. */
  readonly ports: readonly PortRange[];
  /** The last ENTRYPOINT and CMD, as they are written. */
  readonly entrypoint: string | undefined;
  readonly command: string | undefined;
}

interface Instruction {
  /** In capitals. */
  readonly word: string;
  readonly rest: string;
}

interface Stage {
  readonly name: string;
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

/**
 * Reads the stage that becomes an image, with the stages that it is built upon: the one that has the name of the image, as targets of one file for
 * several images mostly have, unless another stage copies from it; else the last. Variables of ARG and ENV are put in.
 *
 * @param name of the image, without registry and tag
 */
export function readDockerfile(text: string, name = ''): DockerfileImage {
  const { globals, stages } = stagesOf(text);
  const stage = stages.find((one) => one.name === name.toLowerCase() && !isCopiedFrom(one, stages));
  return evaluate(chainOf(stage ?? stages.at(-1), stages), globals);
}

/** A comment, or an empty line, may stand within an instruction that goes on. */
function instructionsOf(text: string): Instruction[] {
  const escape = /^#\s*escape\s*=\s*`/im.test(text.split('\n', 3).join('\n')) ? '`' : '\\';
  const lines = text.split(/\r?\n/).filter((line) => !/^\s*(?:#.*)?$/.test(line));
  const whole = lines.reduce<string[]>((before, line) => {
    const last = before.at(-1);
    return last?.trimEnd().endsWith(escape)
      ? [...before.slice(0, -1), `${last.trimEnd().slice(0, -1)} ${line.trim()}`]
      : [...before, line];
  }, []);
  return whole.flatMap((line) => {
    const [, word = '', rest = ''] = /^\s*([a-z]+)\s+(.*?)\s*$/i.exec(line) ?? [];
    return word === '' ? [] : [{ word: word.toUpperCase(), rest }];
  });
}

/** A text without FROM, which no program builds, is read as one stage. */
function stagesOf(text: string): {
  readonly globals: readonly Instruction[];
  readonly stages: readonly Stage[];
} {
  const all = instructionsOf(text);
  const starts = all.flatMap(({ word }, index) => (word === 'FROM' ? [index] : []));
  if (starts.length === 0) return { globals: [], stages: [{ name: '', base: '', instructions: all }] };
  const stages = starts.map((start, index) => {
    const [, base = '', name = ''] =
      /^(?:--\S+\s+)*(\S+)(?:\s+as\s+(\S+))?$/i.exec(all[start]?.rest ?? '') ?? [];
    return {
      name: name.toLowerCase(),
      base: base.toLowerCase(),
      instructions: all.slice(start + 1, starts[index + 1]),
    };
  });
  return { globals: all.slice(0, starts[0]), stages };
}

function isCopiedFrom(stage: Stage, stages: readonly Stage[]): boolean {
  const isSource = ({ word, rest }: Instruction): boolean =>
    word === 'COPY' && /(?:^|\s)--from=(\S+)/.exec(rest)?.[1]?.toLowerCase() === stage.name;
  return stages.some(({ instructions }) => instructions.some(isSource));
}

/** A stage behind those that it is built upon, from the first one. */
function chainOf(stage: Stage | undefined, stages: readonly Stage[]): readonly Stage[] {
  if (stage === undefined) return [];
  const before = stages.slice(0, stages.indexOf(stage));
  const base = before.findLast(({ name }) => name !== '' && name === stage.base);
  return [...chainOf(base, before), stage];
}

function evaluate(chain: readonly Stage[], globals: readonly Instruction[]): DockerfileImage {
  const defaults = new Map<string, string>();
  for (const { word, rest } of globals) if (word === 'ARG') setArguments(rest, defaults, new Map());
  const variables = new Map<string, string>();
  const ports: PortRange[] = [];
  let entrypoint: string | undefined;
  let command: string | undefined;
  for (const { instructions } of chain) {
    // An argument is known in the stage that declares it.
    const known = new Map<string, string>();
    const value = (name: string): string | undefined => variables.get(name) ?? known.get(name);
    for (const { word, rest } of instructions) {
      if (word === 'ARG') setArguments(rest, known, defaults, value);
      else if (word === 'ENV')
        for (const [name, said] of assignmentsOf(rest)) variables.set(name, unquoted(said, value));
      else if (word === 'EXPOSE') ports.push(...portsOf(substituted(rest, value)));
      else if (word === 'ENTRYPOINT') entrypoint = rest;
      else if (word === 'CMD') command = rest;
    }
  }
  return { variables, ports, entrypoint, command };
}

type Lookup = (name: string) => string | undefined;

/** Without a value of its own an argument has that of the one before the first FROM. */
function setArguments(
  rest: string,
  into: Map<string, string>,
  defaults: ReadonlyMap<string, string>,
  lookup: Lookup = (name) => into.get(name),
): void {
  for (const [, name = '', said] of rest.matchAll(/([A-Za-z_]\w*)(?:=("[^"]*"|'[^']*'|\S*))?/g)) {
    const value = said === undefined ? defaults.get(name) : unquoted(said, lookup);
    if (value !== undefined) into.set(name, value);
  }
}

/** Of `A=b`, `A="b c"`, `A='b c'`; the older form has one name, and all of the rest as its value. */
function assignmentsOf(rest: string): readonly (readonly [name: string, value: string])[] {
  const [, name = '', value = ''] = /^([A-Za-z_]\w*)\s+(.+)$/.exec(rest) ?? [];
  if (name !== '') return [[name, value]];
  const pairs = rest.matchAll(/([A-Za-z_]\w*)=("[^"]*"|'[^']*'|\S*)/g);
  return [...pairs].map(([, one = '', said = '']) => [one, said]);
}

function unquoted(text: string, lookup: Lookup): string {
  if (/^'.*'$/.test(text)) return text.slice(1, -1);
  return substituted(text.replace(/^"(.*)"$/, '$1'), lookup);
}

/** Puts in `$A`, `${A}`, `${A:-otherwise}` and `${A:+instead}`; what is not known stays as it is. */
function substituted(text: string, lookup: Lookup): string {
  return text.replaceAll(
    /\\\$|\$(\w+)|\$\{(\w+)(?:(:?[-+])([^}]*))?\}/g,
    (whole, plain: string | undefined, name: string | undefined, operator = '', word = '') => {
      const value = lookup(plain ?? name ?? '');
      const isSet = value !== undefined && !(operator.startsWith(':') && value === '');
      if (operator.endsWith('+')) return isSet ? word : '';
      if (isSet) return value;
      return operator.endsWith('-') ? substituted(word, lookup) : whole;
    },
  );
}

/** `8080`, `8080/tcp`, `7000-7010`; not those of UDP. */
function portsOf(text: string): PortRange[] {
  return text.split(/\s+/).flatMap((word) => {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?(?:\/tcp)?$/i.exec(word) ?? [];
    const range = { from: Number(from), to: Number(to) };
    return range.from >= 1 && range.to <= 65_535 && range.from <= range.to ? [range] : [];
  });
}
