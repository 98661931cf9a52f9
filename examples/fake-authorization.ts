import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TokenSet } from 'marketplace-seller-sdk';
import type { FakeMarketplace } from 'marketplace-seller-sdk/testing';

/** An authorisation server for the examples, on a port of this machine. Each refresh token works once. */
export class FakeAuthorization {
  /** How many token sets it has issued for refresh tokens. */
  refreshes = 0;
  readonly #marketplace: FakeMarketplace;
  readonly #users = new Map<string, number>();
  readonly #server = createServer((request, response) => {
    void text(request).then((body) => {
      const refreshToken = new URLSearchParams(body).get('refresh_token') ?? '';
      const user_id = this.#users.get(refreshToken);
      this.#users.delete(refreshToken);
      if (user_id === undefined) return response.writeHead(400).end('{"error":"invalid_grant"}');
      this.refreshes += 1;
      const access_token = this.#marketplace.accounts.issueToken(user_id);
      const answer = { access_token, refresh_token: this.#issue(user_id), expires_in: 6 * 3600 };
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    });
  });

  constructor(marketplace: FakeMarketplace) {
    this.#marketplace = marketplace;
  }

  /** Starts it. Returns the URL that refreshes tokens. */
  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/token`;
  }

  /** Returns tokens of a user whose access token has expired. */
  expiredTokens(user_id: number): TokenSet {
    return { accessToken: 'expired', refreshToken: this.#issue(user_id), expiresAt: Date.now() };
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #issue(user_id: number): string {
    const refreshToken = `TG-${user_id}-${this.refreshes}`;
    this.#users.set(refreshToken, user_id);
    return refreshToken;
  }
}
