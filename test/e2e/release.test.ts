/** What of the release's file can be judged without its service: files and outputs that it names are there, its scripts can be read. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { PACKAGE_ROOT } from '../../src/process/package-root.ts';

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly needs?: string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

const text = readFileSync(join(PACKAGE_ROOT, '.github', 'workflows', 'release.yml'), 'utf8');
const { jobs } = parse(text) as { readonly jobs: Readonly<Record<string, Job>> };
const steps = Object.values(jobs).flatMap((job) => job.steps);

describe('the file of releases', () => {
  it('has scripts that a shell can read', () => {
    const scripts = steps.flatMap(({ run }) => run ?? []);
    assert.ok(scripts.length > 0);
    for (const script of scripts) execFileSync('bash', ['-n', '-c', script]);
  });

  it('builds the image from the Dockerfile that is there, with a list of its parts, and signs its digest', () => {
    const build = steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'));
    assert.ok(existsSync(join(PACKAGE_ROOT, String(build?.with?.['file']))));
    assert.equal(build?.with?.['sbom'], true);
    const sign = steps.find(({ run }) => run?.includes('cosign sign'));
    assert.match(sign?.run ?? '', /"\$\{IMAGE\}@\$\{DIGEST\}"/);
  });

  it('refers to steps, outputs and jobs that there are', () => {
    const ids = new Set(steps.map(({ id }) => id));
    for (const [, id] of text.matchAll(/steps\.(\w+)\.outputs/g)) assert.ok(ids.has(id), id);
    for (const [, job = '', output = ''] of text.matchAll(/needs\.(\w+)\.outputs\.(\w+)/g))
      assert.ok(jobs[job]?.outputs?.[output] !== undefined, `${job}.${output}`);
    for (const { needs } of Object.values(jobs)) assert.ok(needs === undefined || needs in jobs, needs);
  });

  it('runs nothing of others that is not pinned to a version, and asks for rights by job', () => {
    for (const { uses } of steps) assert.ok(uses === undefined || /@v\d+$/.test(uses), uses);
    for (const [name, job] of Object.entries(jobs)) assert.ok(Object.keys(job.permissions).length > 0, name);
  });
});
