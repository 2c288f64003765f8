import { Refusal } from '../access/refusal.ts';
import type { InfraMetrics, InfraMetricsRequest, MetricQuery } from '../schema/generated/types.ts';
import { placeholderProblem } from './placeholders.ts';

/** More lanes beside a run would be hard to read. */
const MOST_QUERIES = 4;
const LONGEST_ADDRESS = 500;
const LONGEST_NAME = 60;
const LONGEST_UNIT = 20;
const LONGEST_QUERY = 4_000;

/** Validates a setting. Pure. @throws Refusal naming the field */
export function readSetting({ address, queries }: InfraMetricsRequest): InfraMetrics {
  if (queries.length < 1 || queries.length > MOST_QUERIES) {
    throw invalid('queries', `there are ${queries.length} queries; expected 1 to ${MOST_QUERIES}`);
  }
  const read = queries.map((query, index) => readQuery(query, `queries[${index}]`));
  for (const [index, { name }] of read.entries()) {
    const isTwice = read.slice(0, index).some((other) => other.name === name);
    if (isTwice) throw invalid(`queries[${index}].name`, `another query is called ${JSON.stringify(name)}`);
  }
  return { address: readAddress(address), queries: read };
}

function readAddress(text: string): string {
  const field = 'address';
  const url = URL.parse(text.trim());
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw invalid(field, 'expected an address such as http://prometheus.monitoring:9090');
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid(field, 'it holds credentials; a Prometheus that wants some cannot be asked');
  }
  if (url.search !== '' || url.hash !== '') throw invalid(field, 'it ends with its path, without ? and #');
  const address = url.href.replace(/\/+$/, '');
  if (address.length > LONGEST_ADDRESS)
    throw invalid(field, `expected at most ${LONGEST_ADDRESS} characters`);
  return address;
}

function readQuery(
  { name, unit, query }: InfraMetricsRequest['queries'][number],
  field: string,
): MetricQuery {
  const read = {
    name: readWords(name, `${field}.name`, LONGEST_NAME),
    unit: readWords(unit ?? '', `${field}.unit`, LONGEST_UNIT),
    query: query.trim(),
  };
  if (read.name === '') throw invalid(`${field}.name`, 'it is empty; it is what the lanes are called');
  if (read.query === '') throw invalid(`${field}.query`, 'it is empty; expected PromQL');
  if (read.query.length > LONGEST_QUERY) {
    throw invalid(`${field}.query`, `expected at most ${LONGEST_QUERY} characters`);
  }
  const problem = placeholderProblem(read.query);
  if (problem !== undefined) throw invalid(`${field}.query`, problem);
  return read;
}

/** A text of one line. */
function readWords(text: string, field: string, longest: number): string {
  const words = text.trim();
  if (words.length > longest) throw invalid(field, `expected at most ${longest} characters`);
  if (/\p{C}/u.test(words)) throw invalid(field, 'it holds characters that cannot be seen');
  return words;
}

function invalid(field: string, sentence: string): Refusal {
  return new Refusal('invalid', `${field}: ${sentence}`, { fields: [`request.${field}`] });
}
