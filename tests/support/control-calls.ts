import { running } from './serving.ts';

/** A server of the fake marketplace, and calls of its control endpoints. */
export interface ControlledServer {
  readonly url: string;
  /** Calls a control endpoint, e.g. `POST` `seed`. */
  control(method: string, path: string, body?: unknown): Promise<ControlResult>;
  end(): Promise<unknown>;
}

export interface ControlResult {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

const token = 'a-control-token-of-the-test';

/** Starts the command `fake` with its sample, on a free port. */
export async function controlled(...args: string[]): Promise<ControlledServer> {
  const serving = running('fake', '--port', '0', '--quiet', '--control-token', token, ...args);
  const url = await serving.url();
  return {
    url,
    end: () => serving.end(),
    control: async (method, path, body) => {
      const init = {
        method,
        headers: { 'x-fake-token': token },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      };
      const response = await fetch(`${url}/__fake/${path}`, init);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
  };
}
