import { chosen } from '../random.js';

/** The fields of the documented error body. */
interface ErrorBody {
  readonly message?: unknown;
  readonly error?: unknown;
  readonly status?: unknown;
  readonly cause?: unknown;
}

/** The JSON bodies of errors, with other names for the fields. Wire notes, errors. */
const bodies: readonly ((body: ErrorBody) => object)[] = [
  ({ message, error, ...rest }) => ({ ...rest, message: error, error: message }),
  ({ message, error }) => ({ code: error, message }),
  ({ message, error, status }) => ({ status, error, code: error, detail: message }),
  ({ message, error, status, cause }) => ({ status_code: status, code: error, message, cause }),
  ({ message, error }) => ({ error, error_description: message }),
  ({ cause, ...rest }) => ({ ...rest, cause: null, causes: cause }),
  ({ cause, ...rest }) => ({ ...rest, cause: toCauseObjects(cause) }),
];

function toCauseObjects(cause: unknown): object[] {
  const list: unknown[] = Array.isArray(cause) ? cause : cause === undefined || cause === null ? [] : [cause];
  return list.map((each, index) => ({ cause_id: index + 1, type: 'error', code: String(each), message: String(each) }));
}

/** Returns the body of an error with other keys; `choice`, from 0 to 1, selects them. */
export function withOtherKeys(body: unknown, choice: number): unknown {
  return chosen(bodies, choice)?.(body ?? {}) ?? body;
}

/** Returns what stands in front of a service: a page, a line of text, or nothing. */
export function textOfError(status: number, choice: number, headers: Readonly<Record<string, string>>): Response {
  const html = `<html><head><title>${status}</title></head><body><h1>${status}</h1><hr>gateway</body></html>`;
  const [text = '', type = ''] =
    chosen(
      [
        [html, 'text/html; charset=utf-8'],
        [`error ${status}`, 'text/plain'],
        ['', 'text/plain'],
      ],
      choice,
    ) ?? [];
  return new Response(text, { status, headers: { ...headers, 'content-type': type } });
}
