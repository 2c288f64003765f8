import type { ImageEntry } from '@turnsole/cluster/node/images/image-entry';
import { parseDuration } from '@turnsole/kube/text/duration';
import { isQuantity, parseQuantity, quantityToNumber } from '@turnsole/kube/text/quantity';
import { splitList } from '@turnsole/kube/text/split-list';
import { InvalidArgumentError } from 'commander';

/** Seven days, as for chaos itself. */
const MAX_DURATION_MS = 168 * 3_600_000;

/** Milliseconds of a duration text such as `90s` or `1m30s`. */
export function parseDurationOption(text: string): number {
  let milliseconds: number;
  try {
    milliseconds = parseDuration(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
  if (milliseconds <= 0 || milliseconds > MAX_DURATION_MS) {
    throw new InvalidArgumentError('expected a duration above zero and at most 168h, such as 90s or 10m');
  }
  return milliseconds;
}

/** Collects `name=command` entries; the command is split at blanks, as an image's entry point. */
export function parseImageOption(
  text: string,
  entries: ReadonlyMap<string, ImageEntry> = new Map(),
): Map<string, ImageEntry> {
  const at = text.indexOf('=');
  const entry = imageEntry(text.slice(at + 1), process.cwd());
  if (at <= 0 || entry.entrypoint.length === 0) {
    throw new InvalidArgumentError('expected name=command, for example my/api:dev="node server.js"');
  }
  return new Map(entries).set(text.slice(0, at), entry);
}

/** The image whose entry point is a command, split at blanks, that runs in a folder. Pure. */
export function imageEntry(command: string, workingDir: string): ImageEntry {
  const entrypoint = command.split(/\s+/).filter((word) => word !== '');
  return { entrypoint, workingDir, workingDirIfNamed: true };
}

/** Each is a few objects in memory; what a machine holds was measured with a thousand of them. */
const MAX_NODES = 5_000;

/** A number of nodes, 1 to 5,000. */
export function parseNodesOption(text: string): number {
  return parseInteger(text, 1, MAX_NODES);
}

/** Bytes of a quantity of Kubernetes, such as `5Gi` or `500M`. */
export function parseSizeOption(text: string): number {
  const bytes = isQuantity(text) ? quantityToNumber(parseQuantity(text)) : Number.NaN;
  if (!(bytes >= 0)) throw new InvalidArgumentError('expected a size, such as 500M or 5Gi');
  return bytes;
}

/** A TCP port, 0 for any free one. */
export function parsePortOption(text: string): number {
  return parseInteger(text, 0, 65_535);
}

/** A number of days, 1 to 3,650. */
export function parseDaysOption(text: string): number {
  return parseInteger(text, 1, 3_650);
}

/** Number of pods of a component, 1 to 9. */
export function parseReplicasOption(text: string): number {
  return parseInteger(text, 1, 9);
}

/** Collects names separated by commas; the option may be repeated. */
export function parseNamesOption(text: string, before: readonly string[] = []): string[] {
  const names = splitList(text);
  if (names.length === 0) throw new InvalidArgumentError('expected names separated by commas');
  return [...before, ...names];
}

function parseInteger(text: string, minimum: number, maximum: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
    throw new InvalidArgumentError(`expected a whole number from ${minimum} to ${maximum}`);
  }
  return value;
}

/** Collects `NAME=VALUE` settings of a fault; a later one wins. */
export function parseSettingOption(
  text: string,
  before: ReadonlyMap<string, string> = new Map(),
): Map<string, string> {
  const [, name = '', value = ''] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
  if (name === '') throw new InvalidArgumentError('expected NAME=VALUE, such as TOTAL_CHAOS_DURATION=30');
  return new Map(before).set(name, value);
}

/** Collects texts; the option may be repeated. */
export function parseTextsOption(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** Requests per second, as a loadProbe takes them. */
export function parseRateOption(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value > 0 && value <= 10_000))
    throw new InvalidArgumentError('expected a number above 0 and at most 10000');
  return value;
}

/** An argument that a pure function reads; its error is the message. */
export function readBy<T>(read: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return read(text);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  };
}
