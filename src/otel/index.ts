export { openTelemetry } from './tracing.js';
export type { OpenTelemetryOptions } from './tracing.js';
