/** Returns whether a host name or IP address is this machine. IPv6 addresses may have brackets. */
export function isLoopback(host: string): boolean {
  return /^(localhost|.+\.localhost|\[?::1\]?|127(\.\d{1,3}){3})$/.test(host);
}
