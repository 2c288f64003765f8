import assert from 'node:assert/strict';
import { test } from 'node:test';
import { candidates, type DnsRule, decideAnswer, parseResolvers } from './decide-answer.ts';

const POD = { nameservers: ['10.0.0.10'], search: ['shop.svc.cluster.local', 'svc.cluster.local'], ndots: 5 };
const error = (scheme: 'exact' | 'substring', ...names: string[]): DnsRule => ({
  kind: 'error',
  scheme,
  names,
});
const spoof = (names: Record<string, string>): DnsRule => ({ kind: 'spoof', names });

test('what becomes of a question', () => {
  const forward = { kind: 'forward' };
  const nxdomain = { kind: 'nxdomain' };
  const rows: [string, DnsRule, name: string, type: string, expected: unknown][] = [
    ['no names: all', error('exact'), 'a.example', 'A', nxdomain],
    ['all types', error('exact'), 'a.example', 'MX', nxdomain],
    ['the name', error('exact', 'a.example'), 'a.example', 'A', nxdomain],
    ['case and dot do not matter', error('exact', 'A.example.'), 'a.EXAMPLE', 'A', nxdomain],
    ['a part is not the name', error('exact', 'example'), 'a.example', 'A', forward],
    ['with a search domain', error('exact', 'db'), 'db.shop.svc.cluster.local', 'AAAA', nxdomain],
    ['with a domain that is not searched', error('exact', 'db'), 'db.other.svc.cluster.local', 'A', forward],
    ['a part', error('substring', 'ample'), 'a.example', 'A', nxdomain],
    ['not a part', error('substring', 'sample'), 'a.example', 'A', forward],
    [
      'an address',
      spoof({ 'a.example': '10.1.1.1' }),
      'a.example',
      'A',
      { kind: 'address', address: '10.1.1.1' },
    ],
    ['an address of IPv6', spoof({ a: 'fd00::1' }), 'a', 'AAAA', { kind: 'address', address: 'fd00::1' }],
    ['other types of a spoofed name', spoof({ a: '10.1.1.1' }), 'a', 'MX', forward],
    ['other names', spoof({ a: '10.1.1.1' }), 'b', 'A', forward],
    ['another name', spoof({ a: 'b.example.' }), 'a', 'A', { kind: 'name', candidates: ['b.example'] }],
    [
      'the full name goes first',
      spoof({ a: '10.1.1.1', 'a.svc.cluster.local': '10.1.1.2' }),
      'a.svc.cluster.local',
      'A',
      { kind: 'address', address: '10.1.1.2' },
    ],
  ];
  for (const [what, rule, name, type, expected] of rows) {
    assert.deepEqual(decideAnswer(rule, { name, type }, POD), expected, what);
  }
});

test('names are asked for in the order of a resolver', () => {
  assert.deepEqual(candidates('db', { search: ['a', 'b.'], ndots: 1 }), ['db.a', 'db.b', 'db']);
  assert.deepEqual(candidates('db.x', { search: ['a'], ndots: 1 }), ['db.x', 'db.x.a']);
  assert.deepEqual(candidates('db.', { search: ['a'], ndots: 5 }), ['db']);
});

test('a resolv.conf is read as resolvers read it', () => {
  const text =
    '# own\nnameserver 10.0.0.10\nnameserver 0.0.0.0\nnameserver fd00::a\ndomain x\nsearch a.b c\noptions edns0 ndots:5\n';
  assert.deepEqual(parseResolvers(text), {
    nameservers: ['10.0.0.10', 'fd00::a'],
    search: ['a.b', 'c'],
    ndots: 5,
  });
  assert.deepEqual(parseResolvers(''), { nameservers: [], search: [], ndots: 1 });
});
