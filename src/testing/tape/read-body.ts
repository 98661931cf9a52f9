import { parseJson } from '../../core/json/json.js';
import type { TapeBody } from './tape.js';

/** A body that cannot be read, so that nobody knows what it has of a person. */
export class Unreadable extends Error {}

/** A part of a multipart body. */
export type FormPart = readonly [name: string, value: string | File];

/** Reads a body by its media type. @throws {Unreadable} when it is not what its headers say */
export async function bodyOf(what: string, headers: Headers, bytes: ArrayBuffer | undefined): Promise<TapeBody> {
  if (bytes === undefined || bytes.byteLength === 0) return { kind: 'none', value: null };
  const type = mediaType(headers);
  if (headers.get('content-encoding') !== null && headers.get('content-encoding') !== 'identity')
    throw new Unreadable(`its ${what} is compressed`);
  if (type === 'multipart/form-data') return { kind: 'multipart', value: await partsOf(what, headers, bytes) };
  if (type !== '' && !/json|text|urlencoded/.test(type)) return { kind: type, value: bytes.byteLength };
  const text = textOf(what, bytes);
  if (type === 'application/x-www-form-urlencoded')
    return { kind: 'form', value: Object.fromEntries(new URLSearchParams(text)) };
  const json = jsonOf(text);
  if (json !== undefined && (isJson(type) || typeof json === 'object')) return { kind: 'json', value: json };
  if (isJson(type)) throw new Unreadable(`its ${what} says that it is JSON and is not`);
  return { kind: type === '' ? 'text/plain' : type, value: bytes.byteLength };
}

/** Returns the media type without parameters; empty if there is none. */
function mediaType(headers: Headers): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function isJson(type: string): boolean {
  return type.endsWith('json');
}

function textOf(what: string, bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Unreadable(`its ${what} says that it is text and is not UTF-8`);
  }
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

async function partsOf(what: string, headers: Headers, bytes: ArrayBuffer): Promise<FormPart[]> {
  try {
    const type = headers.get('content-type') ?? '';
    return [...(await new Response(bytes, { headers: { 'content-type': type } }).formData())];
  } catch {
    throw new Unreadable(`its ${what} says that it is multipart and is not`);
  }
}
