/** Loads what the package loads on first use: the loader of modules knows no virtual time. */
export async function loadLateModules(): Promise<void> {
  await Promise.all([
    import('form-data'),
    import('../core/files/multipart.js'),
    import('../core/files/node.js'),
    import('../core/files/open-download.js'),
    import('../core/transport/node-fetch.js'),
    import('../oauth/protocol.js'),
    import('../resources/flex/graphql/query.js'),
    import('../testing/handlers/flex-query.js'),
  ]);
}
