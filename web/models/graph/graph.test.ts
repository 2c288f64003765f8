/** Where the nodes of a workflow stand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type GraphNode, graphOf } from './graph.ts';
import { areaAround, graphIn, isSameArea } from './visible-graph.ts';

const node = (id: string, children: readonly string[] = [], type = 'Pod'): GraphNode => ({
  id,
  type,
  children,
});

const drawn = (nodes: readonly GraphNode[]): string[] =>
  [...graphOf(nodes).places].map(([id, { column, row }]) => `${id} ${column}/${row}`).toSorted();

const GRAPHS: readonly [name: string, nodes: GraphNode[], places: string[], edges: string[]][] = [
  ['nothing', [], [], []],
  ['a chain', [node('a', ['b']), node('b', ['c']), node('c')], ['a 0/0', 'b 1/0', 'c 2/0'], ['a>b', 'b>c']],
  [
    'steps side by side, without their groups',
    [
      node('w', ['g1'], 'Steps'),
      node('g1', ['a', 'b'], 'StepGroup'),
      node('a', ['g2']),
      node('b', ['g2']),
      node('g2', ['c'], 'StepGroup'),
      node('c'),
    ],
    ['a 1/0', 'b 1/1', 'c 2/0', 'w 0/0'],
    ['w>a', 'w>b', 'a>c', 'b>c'],
  ],
  [
    'a short way beside a long one',
    [node('a', ['b', 'd']), node('b', ['c']), node('c', ['d']), node('d')],
    ['a 0/0', 'b 1/0', 'c 2/0', 'd 3/0'],
    ['a>b', 'a>d', 'b>c', 'c>d'],
  ],
  [
    'what follows stands near what leads to it',
    [node('a', ['x']), node('b', ['y']), node('y'), node('x')],
    ['a 0/0', 'b 0/1', 'x 1/0', 'y 1/1'],
    ['a>x', 'b>y'],
  ],
  ['a child that is not there', [node('a', ['gone'])], ['a 0/0'], []],
  ['a circle', [node('a', ['b']), node('b', ['a'])], ['a 0/0', 'b 1/0'], ['a>b']],
];
for (const [name, nodes, places, edges] of GRAPHS) {
  test(`graph: ${name}`, () => {
    assert.deepEqual(drawn(nodes), places);
    assert.deepEqual(
      graphOf(nodes).edges.map(([from, to]) => `${from}>${to}`),
      edges,
    );
  });
}

test('every node has a place of its own, and edges lead to the right', () => {
  const nodes = fc
    .array(fc.array(fc.nat(30), { maxLength: 4 }), { maxLength: 30 })
    .map((list) => list.map((children, id) => node(String(id), children.map(String))));
  fc.assert(
    fc.property(nodes, (list) => {
      const { places, edges } = graphOf(list);
      assert.equal(places.size, list.length);
      assert.equal(
        new Set([...places.values()].map(({ column, row }) => `${column}/${row}`)).size,
        list.length,
      );
      for (const [from, to] of edges) {
        assert.ok((places.get(from)?.column ?? 0) < (places.get(to)?.column ?? 0), `${from} > ${to}`);
      }
    }),
  );
});

test('ten thousand nodes are placed', () => {
  const wide = Array.from({ length: 9998 }, (_, index) => `n${index}`);
  const nodes = [node('begin', wide), ...wide.map((id) => node(id, ['end'])), node('end')];
  const { places, edges } = graphOf(nodes);
  assert.equal(places.size, 10_000);
  assert.equal(edges.length, 2 * 9998);
  assert.deepEqual(places.get('end'), { column: 2, row: 0 });
});

test('of a large graph only what is near is drawn, and a small move changes nothing', () => {
  const nodes = Array.from({ length: 100 }, (_, id) => node(String(id), [String(id + 1)]));
  const area = areaAround({ columns: [42, 48], rows: [0, 5] });
  assert.deepEqual(area, { columns: [30, 60], rows: [-10, 20] });
  assert.ok(isSameArea(area, areaAround({ columns: [43, 49], rows: [1, 6] })));
  assert.ok(!isSameArea(area, areaAround({ columns: [43, 51], rows: [1, 6] })));
  const { places, edges } = graphIn(graphOf(nodes), area);
  assert.deepEqual([places.size, edges.length], [31, 30]);
});
