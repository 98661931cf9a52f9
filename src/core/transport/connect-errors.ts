/** An error that occurred before the service acted. */
export interface ConnectError {
  /** What to do about the error. */
  readonly remedy: string;
  /** The same request would fail again, so a retry cannot help. */
  readonly isLasting?: true;
}

/** The fields of a system error. */
interface SystemError {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly message?: unknown;
  readonly errors?: unknown;
  readonly cause?: unknown;
}

/** A kind of error that always occurs before anything is sent. */
interface KnownError extends ConnectError {
  readonly codes?: RegExp;
  /** The beginning of the message, for errors without a code of their own. */
  readonly messages?: RegExp;
}

const noServer: KnownError = {
  codes: /^(?:ECONNREFUSED|UND_ERR_CONNECT_TIMEOUT)$/,
  remedy: 'check host and port of `baseUrl`',
};

/** Alerts of TLS that can also occur after the handshake are not included. */
const knownErrors: readonly KnownError[] = [
  noServer,
  { codes: /^(?:ENOTFOUND|EAI_AGAIN)$/, remedy: 'check the host of `baseUrl`, and DNS' },
  { codes: /^(?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN)$/, remedy: 'check the network of this machine' },
  {
    codes: /^(?:EADDRNOTAVAIL|EMFILE|ENFILE)$/,
    remedy: 'this process has too many open files or connections; lower `concurrency`',
  },
  {
    codes: /^(?:ERR_PROXY_TUNNEL|UND_ERR_PRX_TLS)$/,
    messages: /^Proxy response \(/,
    remedy: 'the proxy rejected the connection; check the settings of the proxy',
  },
  {
    codes: /^(?:UND_ERR_(?:INVALID_ARG|NOT_SUPPORTED)|ERR_INVALID_(?:CHAR|HTTP_TOKEN)|ERR_HTTP_INVALID_HEADER_VALUE)$/,
    messages: /^(?:bad port|Headers\.|Invalid header|Request constructor|Failed to parse URL)/,
    remedy: 'the platform does not send such a request; check `headers` and the port of `baseUrl`',
    isLasting: true,
  },
  {
    messages: /^unexpected redirect/,
    remedy: 'the service redirects the request; is `baseUrl` right?',
    isLasting: true,
  },
  {
    codes: /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_UNTRUSTED)/,
    remedy:
      'the certificate is not trusted; behind a proxy with its own CA, set NODE_EXTRA_CA_CERTS to the file of that CA',
  },
  {
    codes: /^(?:CERT_|CRL_|ERROR_IN_C|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_|HOSTNAME_|ERR_TLS_CERT_)/,
    remedy: 'the certificate of the server is not valid for it',
  },
  {
    codes:
      /^ERR_SSL_(?:WRONG_VERSION|UNSUPPORTED_|PACKET_LENGTH|NO_(?:PROTOCOLS|CIPHERS)|UNSAFE_LEGACY|DH_|EE_|CA_|HTTP|\S*(?:_PROTOCOL_VERSION|_HANDSHAKE_FAILURE|UNRECOGNIZED_NAME|INSUFFICIENT_SECURITY)$)/,
    messages: /^Client network socket disconnected before secure TLS connection/,
    remedy: 'the server does not speak TLS as expected; check protocol and port of `baseUrl`',
  },
];

/** The maximum number of causes that are followed, because an error can be its own cause. */
const maxDepth = 5;

/**
 * Recognises a network error that certainly occurred before the service acted; `undefined` for other errors. For an
 * aggregate error, this must be true for each of its errors.
 */
export function connectErrorOf(error: unknown, depth = maxDepth): ConnectError | undefined {
  if (typeof error !== 'object' || error === null || depth === 0) return undefined;
  const { code, syscall, message, errors, cause } = error as SystemError;
  // A connection in use fails with the same codes as one that cannot be opened. The operation distinguishes them.
  if (syscall === 'read' || syscall === 'write') return undefined;
  const text = typeof message === 'string' ? message : '';
  const known =
    knownErrors.find(({ codes }) => codes?.test(String(code))) ??
    knownErrors.find(({ messages }) => messages?.test(text));
  if (known !== undefined) return known;
  if (syscall === 'connect' || syscall === 'getaddrinfo') return noServer;
  if (Array.isArray(errors)) {
    const found = errors.map((inner) => connectErrorOf(inner, depth - 1));
    return found.includes(undefined) ? undefined : found[0];
  }
  return connectErrorOf(cause, depth - 1);
}

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
