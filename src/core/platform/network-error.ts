/**
 * The words of undici, which is behind Node's `fetch`, for what `node:http` reports with another code. With them, a
 * failure has the same message whichever way the request was sent.
 */
const nodeCodes: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_HEADERS_OVERFLOW: 'HPE_HEADER_OVERFLOW',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'HPE_INVALID_CONTENT_LENGTH',
  // Its parser has met a status that no response may have.
  ERR_ASSERTION: 'HPE_INVALID_STATUS',
  UND_ERR_INVALID_ARG: 'ERR_HTTP_INVALID_HEADER_VALUE',
  UND_ERR_NOT_SUPPORTED: 'ERR_HTTP_INVALID_HEADER_VALUE',
};

/** The reason of a network error, in short: its code, else its message. */
export function networkReason(error: Error & { readonly code?: unknown }): string {
  const { code, name, message } = error;
  if (typeof code !== 'string') return name === 'HTTPParserError' ? invalidResponse : message;
  const nodeCode = nodeCodes[code] ?? code;
  return nodeCode.startsWith('HPE_') ? invalidResponse : nodeCode;
}

const invalidResponse = 'the response is not valid HTTP';
