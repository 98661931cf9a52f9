/** The CPU time of this thread (on Node.js 22: of this process) in milliseconds, which other programs do not change. */
export function cpuMs(): number {
  const { user, system } = typeof process.threadCpuUsage === 'function' ? process.threadCpuUsage() : process.cpuUsage();
  return (user + system) / 1000;
}
