import { InvalidInputError } from '../core/errors/errors.js';
import { checkFile } from '../core/files/file-source.js';
import type { FileInput } from '../core/files/file-source.js';
import type { Endpoint } from '../core/operation/endpoint.js';
import { buildRequest } from '../core/request/build-request.js';
import { readQuietly } from './read-quietly.js';

const baseUrl = 'http://service';
const settings = { options: { baseUrl }, headers: {}, isSecretHeader: () => false };

/**
 * Returns the request of a call for a person to read: method, path, query, headers and body, each in a line that nothing in the
 * input can leave. The token is not in it.
 *
 * @throws {InvalidInputError} when the input does not fit, also its file.
 */
export function requestText(endpoint: Endpoint, given: unknown): string {
  const { input, options } = readQuietly(endpoint, given);
  const { url, headers, body, bodyValue } = buildRequest(endpoint, input, options, settings);
  const lines = [
    `${endpoint.method} ${url.slice(baseUrl.length)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(endpoint.requestBody === 'multipart' ? [fileText(bodyValue as FileInput, endpoint.maxUploadBytes)] : []),
    ...(body === undefined ? [] : [body]),
  ];
  return lines.map(visible).join('\n');
}

/** The name, the type and the size of a file to upload. */
function fileText(file: FileInput, maxBytes = Infinity): string {
  const checked = checkFile(file, maxBytes);
  if ('issue' in checked) throw new InvalidInputError([checked.issue]);
  const { source, filename } = checked;
  const size = source.kind === 'bytes' ? `, ${source.bytes.byteLength} bytes` : '';
  return `The file ${inMarks(filename)}, ${file.contentType ?? 'with the type that its name says'}${size}`;
}

/** Puts a text in «», which it cannot leave, as a person has to see it. */
export function inMarks(text: string): string {
  return `«${visible(text).replace(/[«»]/g, escaped)}»`;
}

/** Shows characters that end a line, or that hide or reorder what stands around them. A mark for emoji stays. */
export function visible(text: string): string {
  return text.replace(/(?!\ufe0f)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, escaped);
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`;
}
