import { parseJson } from '../../core/json/json.js';
import type { TapeBody } from './tape.js';

/** A body that cannot be read, so that nobody knows what it has of a person. */
export class Unreadable extends Error {}

/** A part of a multipart body. */
export type FormPart = readonly [name: string, value: string | File];

/** Reads a body by its media type. @throws {Unreadable} when it is not what its headers say */
export async function bodyOf(what: string, headers: Headers, bytes: ArrayBuffer | undefined): Promise<TapeBody> {
  if (bytes === undefined || bytes.byteLength === 0) return { kind: 'none', value: null };
  const contentType = headers.get('content-type') ?? '';
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!/^(identity)?$/.test(headers.get('content-encoding') ?? '')) throw new Unreadable(`its ${what} is compressed`);
  const readAs = async <T>(kind: string, read: () => T | Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch {
      throw new Unreadable(`its ${what} says that it is ${kind}`);
    }
  };
  if (type === 'multipart/form-data') {
    const body = new Response(bytes, { headers: { 'content-type': contentType } });
    const parts: FormPart[] = await readAs('multipart and is not', async () => [...(await body.formData())]);
    return { kind: 'multipart', value: parts };
  }
  const asBytes = { kind: type === '' ? 'text/plain' : type, value: bytes.byteLength };
  if (type !== '' && !/json|text|urlencoded/.test(type)) return asBytes;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const text = await readAs('text and is not UTF-8', () => decoder.decode(bytes));
  if (type === 'application/x-www-form-urlencoded')
    return { kind: 'form', value: Object.fromEntries(new URLSearchParams(text)) };
  const isJson = type.endsWith('json');
  const json = await readAs('JSON and is not', () => parseJson(text)).catch((error: unknown) => {
    if (isJson) throw error;
  });
  return isJson || typeof json === 'object' ? { kind: 'json', value: json } : asBytes;
}
