/** Loads what the client loads on first use: the loader of modules knows no virtual time. */
export async function loadLateModules(): Promise<void> {
  await Promise.all([
    import('../core/transport/node-fetch.js'),
    import('../core/files/multipart.js'),
    import('../resources/flex/graphql/query.js'),
    import('../oauth/protocol.js'),
  ]);
}
