/**
 * The codes of undici, which implements Node's `fetch`, with the codes of `node:http` for the same failure. With them,
 * a failure has the same message with both transports.
 */
const nodeCodes: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_HEADERS_OVERFLOW: 'HPE_HEADER_OVERFLOW',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'HPE_INVALID_CONTENT_LENGTH',
  // The parser of undici found an invalid status.
  ERR_ASSERTION: 'HPE_INVALID_STATUS',
  UND_ERR_INVALID_ARG: 'ERR_HTTP_INVALID_HEADER_VALUE',
  UND_ERR_NOT_SUPPORTED: 'ERR_HTTP_INVALID_HEADER_VALUE',
};

/** Returns the short reason of a network error: its code, otherwise its message. */
export function networkReason(error: Error & { readonly code?: unknown }): string {
  const { code, name, message } = error;
  if (typeof code !== 'string') return name === 'HTTPParserError' ? invalidResponse : message;
  const nodeCode = nodeCodes[code] ?? code;
  return nodeCode.startsWith('HPE_') ? invalidResponse : nodeCode;
}

const invalidResponse = 'the response is not valid HTTP';
