import {
  Background,
  Controls,
  type Edge,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  type ReactFlowInstance,
  type Viewport,
} from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import './graph.css';
import { type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { firstView, stepToSee } from '../../models/graph/first-view.ts';
import { type Graph, graphOf } from '../../models/graph/graph.ts';
import { type Area, areaAround, graphIn, isSameArea } from '../../models/graph/visible-graph.ts';
import type { ExecutionNode } from '../../models/run/execution.ts';
import { plainText } from '../../models/words/plain.ts';
import { Verdict } from '../../parts/verdict/verdict.tsx';
import { type Lighting, useIsLit } from '../run/lighting.ts';

/** Sizes of the drawing, in pixels. */
const [WIDTH, HEIGHT, COLUMN, ROW] = [180, 44, 230, 60];

/** Of a larger graph the library gets only what is near. */
const MOST_WHOLE = 300;
/** Before the size of the view is known. */
const FIRST_VIEWPORT = { x: 20, y: 20, zoom: 1 };
/** Sizes of the drawing, for what is seen of it at first. */
const GRID = { column: COLUMN, row: ROW, width: WIDTH, height: HEIGHT };
/** Largest expected view, in pixels. */
const [MOST_WIDE, MOST_HIGH] = [2600, 500];

type StepNode = Node<{ readonly step: ExecutionNode; readonly lighting: Lighting | undefined }, 'step'>;

/** Replaces texts of the library about moving and deleting, which are not possible here. */
const WORDS = {
  'node.a11yDescription.default': 'Press Enter to select this step.',
  'node.a11yDescription.keyboardDisabled': 'Press Enter to select this step.',
  'edge.a11yDescription.default': 'The right step begins after the left one.',
};

/** The graph of a workflow. The library gets only the nearby part of a large one, so that ten thousand nodes work. */
export function GraphView({
  nodes,
  selected,
  onSelect,
  lighting,
}: {
  readonly nodes: readonly ExecutionNode[];
  readonly selected: string | undefined;
  onSelect(id: string): void;
  /** Highlights lanes for steps, and steps for lanes. */
  readonly lighting?: Lighting;
}): ReactElement {
  const graph = useMemo(() => graphOf(nodes), [nodes]);
  const isLarge = graph.places.size > MOST_WHOLE;
  const [area, setArea] = useState(() => areaSeen(FIRST_VIEWPORT));
  const near = useMemo(() => (isLarge ? graphIn(graph, area) : graph), [isLarge, graph, area]);
  const shown = useMemo(() => nodesOf(nodes, near, selected, lighting), [nodes, near, selected, lighting]);
  const edges = useMemo(() => edgesOf(near), [near]);
  const flow = useRef<ReactFlowInstance<StepNode>>(undefined);
  const place = useRef<HTMLDivElement>(null);
  const bring = useCallback(() => {
    if (flow.current !== undefined && place.current !== null)
      bringIntoView(flow.current, place.current, graph.places.get(selected ?? ''));
  }, [graph, selected]);
  const bringLatest = useRef(bring);
  useEffect(() => {
    bringLatest.current = bring;
    bring();
  }, [bring]);
  const isMoved = useRef(false);
  const around = useMemo(() => stepToSee(nodes), [nodes]);
  const begin = useCallback(() => {
    if (flow.current === undefined || place.current === null || isMoved.current) return;
    const { clientWidth: width, clientHeight: height } = place.current;
    void flow.current
      .setViewport(firstView(graph, { width, height }, around, GRID))
      .then(() => bringLatest.current());
  }, [graph, around]);
  useEffect(() => {
    // Again after a resize, and when another step is to be seen, unless the reader has moved it.
    const sizes = new ResizeObserver(begin);
    if (place.current !== null) sizes.observe(place.current);
    return () => sizes.disconnect();
  }, [begin]);
  const [light, darken] = [lighting?.lightStep, () => lighting?.lightStep(undefined)];
  return (
    // Focus and blur of a step bubble up to this element.
    <div
      ref={place}
      className="graph"
      style={{ height: heightOf(graph) }}
      onFocus={({ target }) => light?.(target.closest<HTMLElement>('.react-flow__node')?.dataset.id)}
      onBlur={darken}
    >
      <ReactFlow
        onInit={(made) => {
          flow.current = made;
          begin();
        }}
        onNodeMouseEnter={(_event, { id }) => light?.(id)}
        onNodeMouseLeave={darken}
        nodes={shown}
        edges={edges}
        nodeTypes={TYPES}
        nodesDraggable={false}
        nodesConnectable={false}
        deleteKeyCode={null}
        onlyRenderVisibleElements
        defaultViewport={FIRST_VIEWPORT}
        onMove={(event, viewport) => {
          // Only actions of the reader have an event.
          isMoved.current ||= event !== null;
          const seen = areaSeen(viewport);
          setArea((before) => (isSameArea(before, seen) ? before : seen));
        }}
        minZoom={isLarge ? 0.2 : 0.02}
        ariaLabelConfig={WORDS}
        proOptions={{ hideAttribution: true }}
        onNodesChange={(changes) => {
          const chosen = changes.find((change) => change.type === 'select' && change.selected);
          if (chosen?.type === 'select' && chosen.id !== selected) onSelect(chosen.id);
        }}
      >
        <Background />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

/** The part of the grid in a viewport, with a margin. */
function areaSeen({ x, y, zoom }: Viewport): Area {
  return areaAround({
    columns: [-x / zoom / COLUMN, (MOST_WIDE - x) / zoom / COLUMN],
    rows: [-y / zoom / ROW, (MOST_HIGH - y) / zoom / ROW],
  });
}

function nodesOf(
  nodes: readonly ExecutionNode[],
  { places }: Graph,
  selected: string | undefined,
  lighting: Lighting | undefined,
): StepNode[] {
  return nodes.flatMap((step) => {
    const place = places.get(step.id);
    if (place === undefined) return [];
    return [
      {
        ...{ id: step.id, type: 'step' as const, width: WIDTH, height: HEIGHT },
        position: { x: place.column * COLUMN, y: place.row * ROW },
        data: { step, lighting },
        selected: step.id === selected,
        ariaLabel: `${plainText(step.name)}: ${step.phase || 'not begun'}`,
      },
    ];
  });
}

function edgesOf({ edges }: Graph): Edge[] {
  return edges.map(([source, target]) => ({ id: `${source} ${target}`, source, target, focusable: false }));
}

/** Moves the view so that a node is visible, without zooming. */
function bringIntoView(
  flow: ReactFlowInstance<StepNode>,
  { clientWidth, clientHeight }: HTMLElement,
  node: { readonly column: number; readonly row: number } | undefined,
): void {
  if (node === undefined) return;
  const { x, y, zoom } = flow.getViewport();
  const [left, top] = [node.column * COLUMN, node.row * ROW];
  const isSeen =
    left * zoom + x >= 0 &&
    top * zoom + y >= 0 &&
    (left + WIDTH) * zoom + x <= clientWidth &&
    (top + HEIGHT) * zoom + y <= clientHeight;
  if (!isSeen) void flow.setCenter(left + WIDTH / 2, top + HEIGHT / 2, { zoom });
}

/** Height of the longest column, within a limit that leaves room for the time axis. */
function heightOf({ places }: Graph): number {
  const rows = [...places.values()].reduce((most, { row }) => Math.max(most, row + 1), 1);
  return Math.min(480, rows * ROW + 120);
}

function Step({ data: { step, lighting } }: NodeProps<StepNode>): ReactElement {
  const isLit = useIsLit(lighting, step.id);
  return (
    <div
      className="graph-step"
      data-lit={isLit}
      data-phase={step.phase}
      title={plainText(step.message || step.name)}
    >
      <Handle type="target" position={Position.Left} />
      <Verdict state={step.phase} isBrief />
      <bdi>{plainText(step.name)}</bdi>
      <Handle type="source" position={Position.Right} />
    </div>
  );
}

const TYPES = { step: Step };
