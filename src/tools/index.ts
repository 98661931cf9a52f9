// './tools': every operation as a tool for a language model.
export { createTools } from './create-tools.js';
export type { Tool, ToolOptions, ToolResult } from './create-tools.js';
export type { JsonSchema } from './portable-schema.js';
