import { isLoopback } from '../core/options/rules.js';
import { printable } from '../work/printable.js';
import type { FakeMarketplace } from '../testing/marketplace.js';
import type { LoggedRequest } from '../testing/dashboard/request-log.js';

/** Formats the startup message: the base URL, the users with their tokens, and a curl command. */
export function formatBanner(
  url: string,
  host: string,
  { accounts, items }: FakeMarketplace,
  controlToken: string,
): string {
  const users = accounts.all.map((user) => ({
    ...user,
    nickname: printable(user.nickname),
    sells: items.all.some(({ seller_id }) => seller_id === user.user_id),
    token: accounts.bearers.find(({ user_id }) => user_id === user.user_id)?.token ?? '',
  }));
  const width = Math.max(0, ...users.map(({ nickname }) => nickname.length));
  const seller = users.find(({ sells }) => sells) ?? users[0];
  return [
    `Fake marketplace at ${url}  (open it in a browser for the dashboard)`,
    ...(isLoopback(host) ? [] : ['Other machines can connect to it and open its dashboard.']),
    '',
    ...users.map(
      ({ nickname, user_id, sells, token }) =>
        `  ${nickname.padEnd(width)}  ${sells ? 'seller' : 'buyer '}  user_id ${user_id}  token ${token}`,
    ),
    `  ${'controls'.padEnd(width)}  x-fake-token ${controlToken}`,
    '',
    seller
      ? `  curl -H 'Authorization: Bearer ${seller.token}' '${url}/questions/search?seller_id=${seller.user_id}'`
      : `  curl ${url}/currencies`,
    '',
    'Press Ctrl+C to stop.',
  ].join('\n');
}

/** Formats a request on one line. Control characters are replaced. */
export function formatRequest({ at, method, path, status, state, ms, nickname }: LoggedRequest): string {
  const time = new Date(at).toTimeString().slice(0, 8);
  const outcome = state === 'broken' ? 'broken' : String(status);
  const who = nickname === null ? '' : ` ${nickname}`;
  return printable(`${time} ${method.padEnd(6)} ${outcome} ${path} ${ms} ms${who}`);
}
