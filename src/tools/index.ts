// './tools': every operation as a tool for a language model.
export { createTools, type Tool, type ToolOptions, type ToolResult } from './create-tools.js';
export type { JsonSchema } from './portable-schema.js';
