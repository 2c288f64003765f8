import { messageOf } from './error-message.ts';

/**
 * Regular expressions as Go reads them (RE2 syntax), for JavaScript.
 *
 * Patterns in CRDs and in `matches` comparators were written for Go. Most mean the same here; what differs is
 * translated: leading and inline flags `(?i)`, named groups `(?P<x>)`, `\A`, `\z`, `\Q…\E`, POSIX classes
 * `[[:alpha:]]`, `\pL` and `\C`. What RE2 refuses (look-around, back references) is refused here too, so that a pattern
 * that works on a laptop also works in a cluster.
 */

/** The pattern cannot be compiled; `message` says why. */
export class PatternError extends Error {
  override readonly name = 'PatternError';

  constructor(pattern: string, problem: string, options?: ErrorOptions) {
    super(`pattern ${JSON.stringify(pattern)} does not compile: ${problem}`, options);
  }
}

const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/**
 * Gives a RegExp that finds what Go's regexp package would find anywhere in a text.
 *
 * @throws PatternError when Go would refuse the pattern, or when JavaScript cannot express it
 */
export function compileRegex(pattern: string): RegExp {
  const { source, flags } = translate(pattern);
  try {
    return new RegExp(source, flags);
  } catch (cause) {
    throw new PatternError(pattern, messageOf(cause), { cause });
  }
}

/** Walks once over the pattern; every branch consumes at least one character and appends its translation. */
function translate(pattern: string): { readonly source: string; readonly flags: string } {
  let at = 0;
  let source = '';
  // Groups opened by an inline flag such as `a(?i)b`: RE2 applies it to the rest of the enclosing group.
  const openFlagGroups: number[] = [0];
  let flags = 'u';

  while (at < pattern.length) {
    const rest = pattern.slice(at);
    const inline = /^\(\?([imsU-]+)([:)])/.exec(rest);
    if (inline !== null) {
      const [whole, letters = '', end] = inline;
      if (letters.includes('U')) throw new PatternError(pattern, 'flag U (ungreedy) is not supported');
      at += whole.length;
      if (end === ':') {
        source += `(?${letters}:`;
        openFlagGroups.push(0);
      } else if (at === whole.length && !letters.includes('-')) {
        // At the very start it is a flag of the whole pattern.
        flags += letters;
      } else {
        source += `(?${letters}:`;
        openFlagGroups[openFlagGroups.length - 1] = (openFlagGroups.at(-1) ?? 0) + 1;
      }
      continue;
    }
    const literal = /^\\Q([\s\S]*?)(?:\\E|$)/.exec(rest);
    if (literal !== null) {
      source += (literal[1] ?? '').replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
      at += literal[0].length;
      continue;
    }
    const character = pattern.charAt(at);
    if (character === '\\') {
      const [text, length] = translateEscape(pattern, rest, false);
      source += text;
      at += length;
    } else if (character === '[') {
      const [text, length] = translateClass(pattern, rest);
      source += text;
      at += length;
    } else if (character === '(') {
      const named = /^\(\?P?<([A-Za-z_]\w*)>/.exec(rest);
      if (named !== null) {
        source += `(?<${named[1]}>`;
        at += named[0].length;
      } else if (rest.startsWith('(?') && !rest.startsWith('(?:')) {
        throw new PatternError(pattern, `unsupported group ${JSON.stringify(rest.slice(0, 4))}`);
      } else {
        source += rest.startsWith('(?:') ? '(?:' : '(';
        at += rest.startsWith('(?:') ? 3 : 1;
      }
      openFlagGroups.push(0);
    } else if (character === ')') {
      if (openFlagGroups.length === 1) throw new PatternError(pattern, 'unexpected ")"');
      source += ')'.repeat((openFlagGroups.pop() ?? 0) + 1);
      at += 1;
    } else if (character === '|') {
      // `a(?i)b|c` is `a(?i:b)|(?i:c)` in RE2; close and reopen would need the letters, so it is refused instead.
      if ((openFlagGroups.at(-1) ?? 0) > 0) {
        throw new PatternError(
          pattern,
          'an inline flag before "|" is not supported; put it first or use (?i:…)',
        );
      }
      source += '|';
      at += 1;
    } else if (
      (character === '{' && !/^\{\d+(,\d*)?\}/.test(rest)) ||
      character === '}' ||
      character === ']'
    ) {
      // RE2 takes a brace that is no repetition, and a lone bracket, literally.
      if (character === '}' && /\{\d+(,\d*)?$/.test(source)) source += '}';
      else source += `\\${character}`;
      at += 1;
    } else {
      // A whole code point, so that surrogate pairs stay together.
      const point = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
      source += point;
      at += point.length;
    }
  }
  source += ')'.repeat(openFlagGroups[0] ?? 0);
  return { source, flags: [...new Set(flags)].join('') };
}

/** Translates one escape at the start of `rest`; gives its text and how many characters it took. */
function translateEscape(pattern: string, rest: string, inClass: boolean): [string, number] {
  const next = rest.charAt(1);
  if (next === '') throw new PatternError(pattern, 'trailing backslash at the end');
  const property = /^\\([pP])(?:\{(\^?)(\w+)\}|(\w))/.exec(rest);
  if (property !== null) {
    const [whole, letter = 'p', negated, long, short] = property;
    const name = long ?? short ?? '';
    const effective = negated === '^' ? (letter === 'p' ? 'P' : 'p') : letter;
    // Scripts (Greek, Han) need a key here; general categories have at most two letters.
    return [name.length <= 2 ? `\\${effective}{${name}}` : `\\${effective}{Script=${name}}`, whole.length];
  }
  const hexadecimal = /^\\x\{([0-9A-Fa-f]+)\}/.exec(rest);
  if (hexadecimal !== null) return [`\\u{${hexadecimal[1]}}`, hexadecimal[0].length];
  const octal = /^\\[0-7]{2,3}/.exec(rest) ?? /^\\0/.exec(rest);
  if (octal !== null && (rest.charAt(1) === '0' || octal[0].length === 4)) {
    return [`\\u{${Number.parseInt(octal[0].slice(1), 8).toString(16)}}`, octal[0].length];
  }
  if (/[1-9]/.test(next)) throw new PatternError(pattern, `back reference \\${next} is not supported`);
  if (next === 'A' && !inClass) return ['(?-m:^)', 2];
  if (next === 'z' && !inClass) return ['(?-m:$)', 2];
  if (next === 'a') return ['\\x07', 2];
  // JavaScript's \s also takes Unicode space; RE2's takes ASCII only.
  if (next === 's') return [inClass ? '\\t\\n\\f\\r ' : '[\\t\\n\\f\\r ]', 2];
  if (next === 'S' && !inClass) return ['[^\\t\\n\\f\\r ]', 2];
  if (/[dDwWSbBfnrtv]/.test(next) || rest.startsWith('\\x')) return [`\\${next}`, 2];
  if (/[A-Za-z]/.test(next)) throw new PatternError(pattern, `invalid escape \\${next}`);
  // Punctuation: JavaScript's u flag refuses needless escapes, RE2 does not.
  const needsEscape = '^$\\.*+?()[]{}|/'.includes(next) || (inClass && next === '-');
  const point = String.fromCodePoint(rest.codePointAt(1) ?? 0);
  return [needsEscape ? `\\${next}` : point, 1 + point.length];
}

/** Translates a bracket expression at the start of `rest`. */
function translateClass(pattern: string, rest: string): [string, number] {
  let at = rest.startsWith('[^') ? 2 : 1;
  let text = rest.slice(0, at);
  const first = at;
  // After a shorthand such as \w a hyphen cannot begin a range: RE2 takes it literally, JavaScript refuses it.
  let afterShorthand = false;
  while (at < rest.length) {
    const remaining = rest.slice(at);
    const posix = /^\[:(\^?)(\w+):\]/.exec(remaining);
    if (posix !== null) {
      const members = Object.hasOwn(POSIX, posix[2] ?? '') ? POSIX[posix[2] ?? ''] : undefined;
      if (members === undefined || posix[1] === '^') {
        throw new PatternError(pattern, `unsupported character class ${posix[0]}`);
      }
      text += members;
      at += posix[0].length;
      continue;
    }
    const character = remaining.charAt(0);
    // A bracket right at the start is a member, not the end.
    if (character === ']' && at > first) return [`${text}]`, at + 1];
    if (character === '\\') {
      const [escaped, length] = translateEscape(pattern, remaining, true);
      text += escaped;
      at += length;
      afterShorthand = /^\\[dDwWsSpP]/.test(remaining);
    } else {
      const literal = '[](){}/|'.includes(character) || (character === '-' && afterShorthand);
      text += literal ? `\\${character}` : character;
      at += 1;
      afterShorthand = false;
    }
  }
  throw new PatternError(pattern, 'missing closing "]"');
}
