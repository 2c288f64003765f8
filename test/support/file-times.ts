/** How long test files took, and how much of that they computed: their processes report it when they end, and the suite reads it. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { formatColumns } from '../../bench/report.ts';

/** The variable that names the file to which test processes write what they took; without it they write nothing. */
export const TIMES_FILE = 'TURNSOLE_FILE_TIMES';

/** What the process of one test file took, in seconds. */
export interface FileTime {
  readonly file: string;
  /** From its start to its end. */
  readonly wall: number;
  /** Time on a processor: its own. */
  readonly own: number;
  /** The same of the processes that it started and that have ended. */
  readonly children: number;
}

/** Adds what this process took to the file that the environment names. For its very end: nothing is awaited. */
export function tellTime(file: string): void {
  const to = process.env[TIMES_FILE];
  if (to === undefined || to === '') return;
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const own = (userCPUTime + systemCPUTime) / 1e6;
  const time: FileTime = { file, wall: performance.now() / 1000, own, children: secondsOfChildren() };
  appendFileSync(to, `${JSON.stringify(time)}\n`);
}

/** What test processes have written. */
export function readTimes(from: string): FileTime[] {
  if (!existsSync(from)) return [];
  const lines = readFileSync(from, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

/**
 * The files that took longest and the sum of all, as a table. A file that waits has a long time and little of a processor; the sum of the
 * processors' time, divided by their number, is what a suite takes at least. Pure.
 *
 * @param root folder that paths are relative to
 */
export function formatTimes(times: readonly FileTime[], longest: number, root: string): string {
  const line = ({ wall, own, children }: Omit<FileTime, 'file'>): string[] =>
    [wall, own, children].map((seconds) => seconds.toFixed(1));
  const sum = (of: (time: FileTime) => number): number => times.reduce((all, time) => all + of(time), 0);
  const first = times.toSorted((a, b) => b.wall - a.wall).slice(0, longest);
  return formatColumns(
    ['seconds', 'in all', 'computed', 'its processes'],
    [
      ...first.map((time) => [relative(root, time.file), ...line(time)]),
      [
        `all ${times.length}`,
        ...line({ wall: sum((t) => t.wall), own: sum((t) => t.own), children: sum((t) => t.children) }),
      ],
    ],
  );
}

/** `cutime` and `cstime` of `/proc/self/stat`, which count in hundredths; 0 without that file. */
function secondsOfChildren(): number {
  if (!existsSync('/proc/self/stat')) return 0;
  const text = readFileSync('/proc/self/stat', 'utf8');
  // The program's name may hold spaces; what follows it begins with the third field.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
