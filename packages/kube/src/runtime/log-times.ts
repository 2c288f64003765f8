/** A line of a log with its time before it: RFC 3339 with up to nine digits of a second, as servers write it. */
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z /;

/** The time of the last line of a text of whole lines that has one; undefined without any. Pure. */
export function timeOfLastLine(text: string): string | undefined {
  for (let end = text.length; end > 0; ) {
    const start = text.lastIndexOf('\n', end - 2) + 1;
    const time = timeOf(text.slice(start, end));
    if (time !== undefined) return time;
    end = start;
  }
  return undefined;
}

/** The lines of a text from the first one on that was printed after a time; a line without a time counts as earlier. Pure. */
export function linesAfter(text: string, time: string): string {
  const limit = comparable(`${time} `) ?? '';
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start) + 1 || text.length;
    const own = comparable(text.slice(start, end));
    if (own !== undefined && own > limit) return text.slice(start);
    start = end;
  }
  return '';
}

function timeOf(line: string): string | undefined {
  return TIME.exec(line)?.[0].trimEnd();
}

/** Times that sort as texts: servers leave out zeros at the end of a second. */
function comparable(line: string): string | undefined {
  const [whole, seconds, fraction = ''] = TIME.exec(line) ?? [];
  return whole === undefined ? undefined : `${seconds}.${fraction.padEnd(9, '0')}`;
}
