/** An error that occurred before the service acted. */
export interface ConnectError {
  /** What to do about the error. */
  readonly remedy: string;
  /** The same request would fail again, so a retry cannot help. */
  readonly isPermanent?: true;
}

/** The fields of a system error. */
interface SystemError {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly message?: unknown;
  readonly errors?: unknown;
  readonly cause?: unknown;
}

const untrusted: ConnectError = {
  remedy:
    'the certificate is not trusted; behind a proxy with its own CA, set NODE_EXTRA_CA_CERTS to the file of that CA',
};
const wrongCertificate: ConnectError = { remedy: 'the certificate of the server is not valid for it' };
const noTls: ConnectError = {
  remedy: 'the server does not speak TLS as expected; check protocol and port of `baseUrl`',
};
const noHost: ConnectError = { remedy: 'check the host of `baseUrl`, and DNS' };
const noServer: ConnectError = { remedy: 'check host and port of `baseUrl`' };
const noNetwork: ConnectError = { remedy: 'check the network of this machine' };
const noResources: ConnectError = {
  remedy: 'this process has too many open files or connections; lower `maxConcurrency`',
};
const noProxy: ConnectError = { remedy: 'the proxy rejected the connection; check the settings of the proxy' };
const notAllowed: ConnectError = {
  remedy: 'the platform does not send such a request; check `headers` and the port of `baseUrl`',
  isPermanent: true,
};

const redirected: ConnectError = {
  remedy: 'the service redirects the request; is `baseUrl` right?',
  isPermanent: true,
};

/** The codes of errors that always occur before anything is sent, with what to do. */
const connectErrors: ReadonlyMap<unknown, ConnectError> = new Map([
  ['ENOTFOUND', noHost],
  ['EAI_AGAIN', noHost],
  ['ECONNREFUSED', noServer],
  ['UND_ERR_CONNECT_TIMEOUT', noServer],
  ['EHOSTUNREACH', noNetwork],
  ['ENETUNREACH', noNetwork],
  ['EHOSTDOWN', noNetwork],
  ['ENETDOWN', noNetwork],
  ['EADDRNOTAVAIL', noResources],
  ['EMFILE', noResources],
  ['ENFILE', noResources],
  ['ERR_PROXY_TUNNEL', noProxy],
  ['UND_ERR_PRX_TLS', noProxy],
  ['UND_ERR_INVALID_ARG', notAllowed],
  ['UND_ERR_NOT_SUPPORTED', notAllowed],
  ['ERR_INVALID_CHAR', notAllowed],
  ['ERR_HTTP_INVALID_HEADER_VALUE', notAllowed],
  ['ERR_INVALID_HTTP_TOKEN', notAllowed],
]);

/** Errors of a TLS handshake, by their code. Alerts that can also occur later are not included. */
const tlsErrors: readonly (readonly [RegExp, ConnectError])[] = [
  [/^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_UNTRUSTED)/, untrusted],
  [/^(?:CERT_|CRL_|ERROR_IN_C|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_|HOSTNAME_|ERR_TLS_CERT_)/, wrongCertificate],
  [
    /^ERR_SSL_(?:WRONG_VERSION|UNSUPPORTED_|PACKET_LENGTH|NO_PROTOCOLS|NO_CIPHERS|UNSAFE_LEGACY|DH_|EE_|CA_|HTTP)/,
    noTls,
  ],
  [/^ERR_SSL_\S*(?:_PROTOCOL_VERSION|_HANDSHAKE_FAILURE|UNRECOGNIZED_NAME|INSUFFICIENT_SECURITY)$/, noTls],
];

/** Errors without a specific code, by the beginning of their message. */
const connectMessages: readonly (readonly [string, ConnectError])[] = [
  ['unexpected redirect', redirected],
  ['bad port', notAllowed],
  ['Headers.', notAllowed],
  ['Invalid header', notAllowed],
  ['Request constructor', notAllowed],
  ['Failed to parse URL', notAllowed],
  ['Proxy response (', noProxy],
  ['Client network socket disconnected before secure TLS connection', noTls],
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
    connectErrors.get(code) ??
    tlsErrors.find(([codes]) => codes.test(String(code)))?.[1] ??
    connectMessages.find(([start]) => text.startsWith(start))?.[1];
  if (known !== undefined) return known;
  if (syscall === 'connect' || syscall === 'getaddrinfo') return noServer;
  if (Array.isArray(errors)) {
    const found = errors.map((inner) => connectErrorOf(inner, depth - 1));
    return found.includes(undefined) ? undefined : found[0];
  }
  return connectErrorOf(cause, depth - 1);
}
