/** Query parameters that change the shape of every response, and what to use instead. */
export const reservedQuery: Readonly<Record<string, string>> = {
  callback: 'makes the response JSONP; see readJsonp',
  attributes: 'removes fields that the client needs; use the call option `attributes` where a method offers it',
};
