import { fieldsOf } from '../../core/request/path-template.js';
import type { OperationSummary } from '../operations/operations.js';

type PathItems = Readonly<Record<string, Readonly<Record<string, object>>>>;

/** Returns the OpenAPI document of the marketplace, with the address of this server and the operations of your own. */
export async function marketplaceOpenApi(url: string, own: readonly OperationSummary[]): Promise<object> {
  // The file of the package, because a copy in the code would double the size of the fake marketplace.
  // oxlint-disable-next-line no-restricted-imports -- a file beside the code: it is not bundled
  const { default: document } = await import('marketplace-seller-sdk/openapi.json', { with: { type: 'json' } });
  const paths: Record<string, object> = { ...document.paths };
  for (const [path, item] of Object.entries(pathsOf(own))) paths[path] = { ...paths[path], ...item };
  return { ...document, paths, servers: [{ url }] };
}

/** Only paths: the schemas of an operation of your own may be of another library. */
function pathsOf(own: readonly OperationSummary[]): PathItems {
  const byPath = Map.groupBy(own, ({ path }) => path.replaceAll('*}', '}'));
  const items = Array.from(byPath, ([path, operations]) => {
    const methods = operations.map(({ name, method }) => [method.toLowerCase(), describe(name, path)] as const);
    return [path, Object.fromEntries(methods)] as const;
  });
  return Object.fromEntries(items);
}

function describe(name: string, path: string): object {
  const parameters = fieldsOf(path).map((field) => ({
    name: field,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const operationId = name.replace(/\W+/g, '_').replace(/^_|_$/g, '');
  return { operationId, summary: name, parameters, responses: { default: { description: 'The response' } } };
}
