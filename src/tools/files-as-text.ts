import { InvalidInputError } from '../core/errors/errors.js';
import { Download } from '../core/files/download.js';
import { isPlainObject } from '../core/json/plain-object.js';
import type { Endpoint } from '../core/operation/endpoint.js';

/**
 * Returns an input whose file is bytes: a model sends it in base64.
 *
 * @throws {InvalidInputError} when the file is not base64.
 */
export function withBytes(endpoint: Endpoint, input: unknown): unknown {
  if (endpoint.requestBody !== 'multipart' || !isPlainObject(input)) return input;
  const { file } = input as { file?: unknown };
  try {
    if (typeof file !== 'string') throw new TypeError('no text');
    return { ...input, file: Uint8Array.from(atob(file), (each) => each.charCodeAt(0)) };
  } catch {
    throw new InvalidInputError([{ path: ['file'], message: '`file` takes the content of the file in base64' }]);
  }
}

/** Returns what a model can read of a file: its text, or only what is known of it. */
export async function readable(output: unknown): Promise<unknown> {
  if (!(output instanceof Download)) return output;
  const { filename, contentType, size } = output;
  if (/^text\/|json|xml/.test(contentType ?? ''))
    return { filename, contentType, size, text: new TextDecoder().decode(await output.arrayBuffer()) };
  await output.cancel();
  return { filename, contentType, size, content: 'left out, because it is no text' };
}
