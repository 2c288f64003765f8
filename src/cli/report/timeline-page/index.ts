/** The timeline of a run as a page of its own: what is drawn (model.ts), where (axis.ts), and how (render.ts). */
export { type RunRecord, timelinePage } from './model.ts';
export { renderTimelinePage } from './render.ts';
