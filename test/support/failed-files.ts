/** A reporter of node:test: writes the test files in which something failed, one a line, each once. */
import type { TestEvent } from 'node:test/reporters';

export default async function* failedFiles(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const seen = new Set<string>();
  for await (const { type, data } of source) {
    if (type !== 'test:fail' || data.todo !== undefined || data.skip !== undefined) continue;
    // A file that could not be run at all is told by its name alone.
    const file = data.file ?? data.name;
    if (seen.has(file)) continue;
    seen.add(file);
    yield `${file}\n`;
  }
}
