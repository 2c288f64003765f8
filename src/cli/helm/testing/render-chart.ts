/**
 * Renders the part of Helm's template language that our chart uses, so that tests can compare its output with that of the
 * installer without Helm: Debian has no package of it, so CI has none. It refuses everything else. Where Helm is installed, the
 * tests ask Helm itself as well.
 */
import { randomBytes } from 'node:crypto';
import { stringify } from 'yaml';

type Scope = Readonly<Record<string, unknown>>;

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly code: string };

type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly code: string }
  | {
      readonly kind: 'if' | 'with' | 'range' | 'define';
      readonly code: string;
      readonly body: Block[];
      readonly otherwise: Block[];
    };

/** Templates by path, with the values they are rendered with. */
export interface ChartInput {
  readonly templates: Readonly<Record<string, string>>;
  readonly root: Scope;
}

/** The texts of all templates, by path. */
export function renderChart({ templates, root }: ChartInput): Record<string, string> {
  const defined = new Map<string, Block[]>();
  const parsed = Object.entries(templates).map(([path, source]) => [path, parse(source)] as const);
  for (const [, blocks] of parsed) {
    for (const block of blocks) {
      if (block.kind === 'define') defined.set(JSON.parse(block.code) as string, block.body);
    }
  }
  const renderer = new Renderer(root, defined);
  return Object.fromEntries(parsed.map(([path, blocks]) => [path, renderer.render(blocks, root, {})]));
}

function parse(source: string): Block[] {
  const parts: Part[] = [];
  let trimNext = false;
  let rest = source;
  for (;;) {
    const match = /\{\{(-?)\s*(.*?)\s*(-?)\}\}/s.exec(rest);
    const text = match === null ? rest : rest.slice(0, match.index);
    const left = trimNext ? text.trimStart() : text;
    parts.push({ kind: 'text', text: match?.[1] === '-' ? left.trimEnd() : left });
    if (match === null) break;
    parts.push({ kind: 'code', code: match[2] ?? '' });
    trimNext = match[3] === '-';
    rest = rest.slice(match.index + match[0].length);
  }
  const { blocks, end } = parseBlocks(parts, 0);
  if (end !== parts.length) throw new Error(`"end" or "else" without a beginning in ${source.slice(0, 80)}`);
  return blocks;
}

function parseBlocks(parts: readonly Part[], start: number): { blocks: Block[]; end: number } {
  const blocks: Block[] = [];
  let at = start;
  for (; at < parts.length; at++) {
    const part = parts[at];
    if (part === undefined) break;
    if (part.kind === 'text') {
      blocks.push(part);
      continue;
    }
    if (part.code === 'end' || part.code === 'else') break;
    const match = /^(if|with|range|define) (.*)$/s.exec(part.code);
    if (match === null) {
      blocks.push({ kind: 'output', code: part.code });
      continue;
    }
    const body = parseBlocks(parts, at + 1);
    at = body.end;
    const hasElse = codeAt(parts, at) === 'else';
    const otherwise = hasElse ? parseBlocks(parts, at + 1) : { blocks: [], end: at };
    at = otherwise.end;
    if (codeAt(parts, at) !== 'end') throw new Error(`no "end" for {{ ${part.code} }}`);
    // One of the four words of the pattern above.
    const kind = match[1] as 'if' | 'with' | 'range' | 'define';
    blocks.push({ kind, code: match[2] ?? '', body: body.blocks, otherwise: otherwise.blocks });
  }
  return { blocks, end: at };
}

function codeAt(parts: readonly Part[], index: number): string | undefined {
  const part = parts[index];
  return part?.kind === 'code' ? part.code : undefined;
}

class Renderer {
  readonly #root: Scope;
  readonly #defined: ReadonlyMap<string, Block[]>;

  constructor(root: Scope, defined: ReadonlyMap<string, Block[]>) {
    this.#root = root;
    this.#defined = defined;
  }

  render(blocks: readonly Block[], dot: unknown, variables: Scope): string {
    return blocks.map((block) => this.#renderBlock(block, dot, variables)).join('');
  }

  #renderBlock(block: Block, dot: unknown, variables: Scope): string {
    switch (block.kind) {
      case 'text':
        return block.text;
      case 'output':
        return String(this.#evaluate(block.code, dot, variables));
      case 'define':
        return '';
      case 'if':
        return this.render(
          isTrue(this.#evaluate(block.code, dot, variables)) ? block.body : block.otherwise,
          dot,
          variables,
        );
      case 'with': {
        const value = this.#evaluate(block.code, dot, variables);
        return isTrue(value)
          ? this.render(block.body, value, variables)
          : this.render(block.otherwise, dot, variables);
      }
      case 'range': {
        const match = /^\$(\w+) := (.*)$/s.exec(block.code);
        const items = this.#evaluate(match?.[2] ?? block.code, dot, variables);
        if (!Array.isArray(items)) throw new Error(`range over something else than a list: ${block.code}`);
        return items
          .map((item: unknown) => {
            const inner = match === null ? variables : { ...variables, [match[1] ?? '']: item };
            return this.render(block.body, item, inner);
          })
          .join('');
      }
    }
  }

  #evaluate(code: string, dot: unknown, variables: Scope): unknown {
    const tokens = code.match(/"[^"]*"|\(|\)|\||[^\s()|]+/g) ?? [];
    let at = 0;
    const pipeline = (): unknown => {
      let value = call();
      while (tokens[at] === '|') {
        at += 1;
        value = call([value]);
      }
      return value;
    };
    const call = (piped: readonly unknown[] = []): unknown => {
      const head = tokens[at] ?? '';
      if (/^[a-zA-Z]/.test(head)) {
        at += 1;
        return this.#apply(head, [...operands(), ...piped]);
      }
      const value = operand();
      const further = operands();
      if (typeof value === 'function') return (value as (...given: unknown[]) => unknown)(...further);
      if (further.length > 0 || piped.length > 0) throw new Error(`cannot evaluate {{ ${code} }}`);
      return value;
    };
    const operands = (): unknown[] => {
      const found: unknown[] = [];
      while (at < tokens.length && tokens[at] !== ')' && tokens[at] !== '|') found.push(operand());
      return found;
    };
    const operand = (): unknown => {
      const token = tokens[at++] ?? '';
      if (token === '(') {
        const value = pipeline();
        at += 1;
        return value;
      }
      if (token.startsWith('"')) return JSON.parse(token);
      if (/^\d+$/.test(token)) return Number(token);
      const match = /^(\$\w*|)((?:\.\w+)*)\.?$/.exec(token);
      if (match === null) throw new Error(`cannot evaluate ${token} in {{ ${code} }}`);
      const [, base = '', path = ''] = match;
      const start = base === '' ? dot : base === '$' ? this.#root : variables[base.slice(1)];
      return path
        .split('.')
        .filter((key) => key !== '')
        .reduce<unknown>((value, key) => (value as Scope | undefined)?.[key], start);
    };
    return pipeline();
  }

  #apply(name: string, given: readonly unknown[]): unknown {
    const [first, second] = given;
    switch (name) {
      case 'include': {
        const blocks = this.#defined.get(String(first));
        if (blocks === undefined) throw new Error(`no template ${String(first)}`);
        return this.render(blocks, second, {});
      }
      case 'quote':
        return JSON.stringify(String(first ?? ''));
      case 'toYaml':
        return stringify(first).trimEnd();
      case 'nindent':
        return `\n${String(second).replaceAll(/^/gm, ' '.repeat(Number(first)))}`;
      case 'eq':
        return first === second;
      case 'gt':
        return Number(first) > Number(second);
      case 'int':
        return Number(first);
      case 'not':
        return !isTrue(first);
      case 'or':
        return given.find(isTrue) ?? given.at(-1);
      case 'and':
        return given.find((value) => !isTrue(value)) ?? given.at(-1);
      case 'lookup':
        return this.#root['Found'];
      case 'b64enc':
        return Buffer.from(String(first)).toString('base64');
      case 'randBytes':
        return randomBytes(Number(first)).toString('base64');
      case 'has':
        return Array.isArray(second) && second.includes(first);
      case 'join':
        return (second as unknown[]).join(String(first));
      case 'splitList':
        return String(second).split(String(first));
      case 'default':
        return isTrue(second) ? second : first;
      case 'kindIs':
        return first === 'invalid' ? second === null || second === undefined : typeof second === first;
      default:
        throw new Error(`the chart uses the function ${name}, which this renderer does not know`);
    }
  }
}

/** As Go's templates see it. */
function isTrue(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== '' && value !== 0 && value !== false;
}
