/** The exporter: metrics of an engine's results for Prometheus. See README.md. */
export { EXPORTER_PERMISSIONS } from './permissions.ts';
export { type ExporterIo, runExporter } from './run-exporter.ts';
