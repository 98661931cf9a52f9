import text from '../../../docs/openapi.json?raw';

/** Returns the OpenAPI document of the marketplace, with the address of this server. */
export function marketplaceOpenApi(url: string): object {
  return { ...(JSON.parse(text) as object), servers: [{ url }] };
}
