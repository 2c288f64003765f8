import type { TestEvent } from 'node:test/reporters';

/** A reporter for `node --test` that names the files in which something failed, one a line. */
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Set<string>();
  for await (const { type, data } of events) {
    if (type === 'test:fail' && data.file !== undefined) files.add(data.file);
  }
  for (const file of files) yield `${file}\n`;
}
