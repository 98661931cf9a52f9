import { nodeModule } from '../core/scope/node-module.js';

/** Who holds a lock: `<host> <process> <start of the process> <its processes> <random>`, as a store keeps it. */
export function newHolder(): string {
  return [...ownProcess(), crypto.randomUUID()].join(' ');
}

/** Whether the process of a holder certainly runs or has ended; of another host or container nobody knows. */
export function stateOf(holder: string): 'runs' | 'ended' | undefined {
  const [host, pid, start, processes] = holder.split(' ');
  const own = ownProcess();
  if (host !== own[0] || processes !== own[3]) return undefined;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    // EPERM: it is there, and belongs to another user.
    if ((error as { code?: unknown }).code === 'ESRCH') return 'ended';
  }
  const now = startOf(pid);
  return now === '-' ? undefined : now === start ? 'runs' : 'ended';
}

/** For messages. */
export function nameOfHolder(holder: string): string {
  const [host, pid] = holder.split(' ');
  return `process ${pid} on host ${host}`;
}

function ownProcess(): [host: string, pid: string, start: string, processes: string] {
  const pid = String(process.pid);
  return [nodeModule('node:os')?.hostname() ?? '-', pid, startOf(pid), processesSeen()];
}

/** When a process began (Linux), because the number of one that has ended is given to another; `-` if nobody knows. */
function startOf(pid = ''): string {
  try {
    const status = nodeModule('node:fs')?.readFileSync(`/proc/${pid}/stat`, 'utf8') ?? '';
    // After the name, which may contain anything: the state and 18 numbers.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? 'ended' : (fields[19] ?? '-');
  } catch {
    return '-';
  }
}

/** Which processes this one can see (Linux): containers of one host count from 1, each for itself. */
function processesSeen(): string {
  try {
    return nodeModule('node:fs')?.readlinkSync('/proc/self/ns/pid') ?? '-';
  } catch {
    return '-';
  }
}
