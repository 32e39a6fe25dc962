import type { Protection } from '../core/protection.js'
import { type Architecture, SYSTEM_CALLS, type SystemCall } from './system-calls.js'

/**
 * Attempts to get out of containment. `escrow doctor --probe` runs them in the provider of the machine, and the suites in each provider.
 * Every attempt is a line for `/bin/sh` in a workspace. It is judged by the state of the machine afterwards and by its output.
 *
 * An attempt that succeeds must do no harm, even as root: it changes only the directory, and signals only the process, that were made for
 * it. It mounts nothing, and every process it starts ends by itself.
 */
export interface EscapeAttempt {
  readonly name: string
  /** A sentence that describes the attempt. */
  readonly tries: string
  readonly protection: Protection
  readonly script: string
  /** A program that it needs. Without it the attempt is not made. */
  readonly needs?: 'perl'
  /** Limits to run it with; with `processes` and `memory` it must be ended, or fail to go on. */
  readonly limits?: { readonly processes?: number; readonly memory?: number }
  /** The hosts that it may reach; no network without. */
  readonly hosts?: readonly string[]
}

/** The parts of the machine that an attempt aims at. */
export interface EscapeTargets {
  /** A directory beside the workspace with `file`, and `closed`, which is not to be read. */
  readonly outside: string
  /** A port of this machine's loopback that something listens on. */
  readonly port: number
  /** A port of loopback that takes datagrams. */
  readonly datagrams: number
  /** The path of a Unix socket, and the name of an abstract one, without its NUL. */
  readonly socket: string
  readonly abstract: string
  /** The id of a process, and the seconds that its `sleep` was given. */
  readonly victim: number
  readonly sleeps: string
  /**
   * Seconds that a process sleeps which an attempt leaves behind. The number is unique to this run, so the process can
   * be found by it.
   */
  readonly left: string
  /** The path of Node. */
  readonly node: string
}

/**
 * A successful attempt prints this. The command line assembles it from parts, so that it does not contain the text
 * itself.
 */
export const ESCAPED = 'got-out-of-it'
const SAY = "printf 'got-%s' out-of-it"

type CallArguments = readonly [name: SystemCall, ...args: number[]]

/** Calls by name with arguments that do nothing. A filter refuses before any argument is looked at. */
const CALLS: Readonly<Record<string, CallArguments>> = {
  io_uring_setup: ['io_uring_setup', 8, 0],
  'ptrace(PTRACE_TRACEME)': ['ptrace', 0, 0, 0, 0],
  process_vm_readv: ['process_vm_readv', 1, 0, 0, 0, 0, 0],
  pidfd_getfd: ['pidfd_getfd', 0, 0, 0],
  keyctl: ['keyctl', 0, 0],
  bpf: ['bpf', 0, 0, 0],
  perf_event_open: ['perf_event_open', 0, 0, 0, 0, 0],
  userfaultfd: ['userfaultfd', 0],
  mount: ['mount', 0, 0, 0, 0, 0],
  open_tree: ['open_tree', 0, 0, 0],
  setns: ['setns', 0, 0],
  'unshare(CLONE_NEWUSER)': ['unshare', 0x1000_0000],
  'clone(CLONE_NEWUSER)': ['clone', 0x1000_0011, 0, 0, 0, 0],
  chroot: ['chroot', 0],
  open_by_handle_at: ['open_by_handle_at', 0, 0, 0],
  'socket(AF_UNIX)': ['socket', 1, 1, 0],
  'socket(AF_VSOCK)': ['socket', 40, 1, 0],
  'ioctl(TIOCSTI)': ['ioctl', 0, 0x5412, 0],
}

/** Lines that make these calls, and print the result and errno. */
export function systemCallLines(architecture: Architecture): Record<string, string> {
  return Object.fromEntries(
    Object.entries(CALLS).flatMap(([name, [call, ...args]]) => {
      const number = SYSTEM_CALLS[call][architecture]
      return number === null
        ? []
        : [[name, `perl -e '$r = syscall(${[number, ...args].join(', ')}); print $r, " ", $!+0'`]]
    }),
  )
}

/** Whether a call was refused, and not only made with bad arguments: EPERM, ENOSYS or EACCES. */
function callAttempts(architecture: Architecture): EscapeAttempt[] {
  return Object.entries(systemCallLines(architecture)).map(([name, line]) => ({
    name,
    tries: 'It makes a system call that reaches past the other protections.',
    protection: 'call_filter',
    script: `case "$(${line})" in '-1 1'|'-1 38'|'-1 13') ;; *) ${SAY} ;; esac`,
    needs: 'perl',
  }))
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** A line that connects by Node. @param target the arguments of `net.connect`. */
const connecting = (node: string, target: string) =>
  `${quote(node)} -e ${quote(`require('node:net').connect(${target}).on('connect', () => { process.stdout.write(['got', 'out', 'of', 'it'].join('-')); process.exit() }).on('error', () => process.exit())`)}`

/** A host that does not exist, so that the only way out is a proxy that refuses everything. */
const NO_HOST = ['nowhere.invalid']

/** Attempts of a command with a list of allowed hosts to reach another one: this machine. */
function hostAttempts(node: string, port: number, datagrams: number, architecture: Architecture): EscapeAttempt[] {
  const about = {
    tries: 'It connects to a host that it was not given.',
    protection: 'network_by_host',
    hosts: NO_HOST,
  } as const
  const address = `sockaddr_in(${port}, inet_aton("127.0.0.1"))`
  const perl = (name: string, line: string): EscapeAttempt => ({
    ...about,
    name,
    needs: 'perl',
    script: `perl -e ${quote(`use Socket; $a = ${address}; ${line} and print "got-out", "-of-it"`)}`,
  })
  const sendto = SYSTEM_CALLS.sendto[architecture]
  const tcp = 'socket(S, AF_INET, SOCK_STREAM, 0)'
  return [
    { ...about, name: 'another host by its number', script: connecting(node, `${port}, '127.0.0.1'`) },
    { ...about, name: 'another host by IPv6', script: connecting(node, `${port}, '::ffff:127.0.0.1'`) },
    {
      ...about,
      name: 'another host by the proxy',
      script: `${quote(node)} -e ${quote(viaProxy(port))}`,
    },
    // `MSG_FASTOPEN` connects without connect(2).
    perl(
      'another host by a first packet with data',
      `${tcp} and 0 < syscall(${sendto}, fileno(S), $d = "x", 1, 0x20000000, $a, 16)`,
    ),
    perl(
      'another host after the proxy',
      `${tcp} and connect(S, sockaddr_in($1, inet_aton("127.0.0.1"))) if $ENV{HTTPS_PROXY} =~ /(\\d+)$/; connect(S, pack("Sx14", 0)); connect(S, $a)`,
    ),
    perl('another host by another protocol', `socket(S, AF_INET, SOCK_STREAM, 262) and connect(S, $a)`),
    perl(
      'another host by a datagram',
      `socket(S, AF_INET, SOCK_DGRAM, 0) and send(S, "x", 0, sockaddr_in(${datagrams}, inet_aton("127.0.0.1"))) and 0`,
    ),
    perl('a socket of packets', 'socket(S, 17, SOCK_RAW, 0x300)'),
  ]
}

/** Asks the proxy for a port of this machine, by a tunnel, and prints on success. */
function viaProxy(port: number): string {
  return (
    `const proxy = new URL(process.env.HTTPS_PROXY); ` +
    `require('node:http').request({ host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: '127.0.0.1:${port}' })` +
    `.on('connect', (answer) => { if (answer.statusCode === 200) process.stdout.write(['got', 'out', 'of', 'it'].join('-')); process.exit() })` +
    `.on('error', () => process.exit()).end()`
  )
}

export function escapeAttempts(at: EscapeTargets, architecture: Architecture): EscapeAttempt[] {
  const { outside, port, datagrams, socket, abstract, victim, sleeps, left, node } = at
  const [half, rest] = [sleeps.slice(0, -2), sleeps.slice(-2)]
  return [
    {
      name: 'a file beside the workspace',
      tries: 'It writes to a file outside the workspace, and makes one.',
      protection: 'write_fence',
      script: `echo out > ${quote(`${outside}/file`)}; echo out > ${quote(`${outside}/new`)}; rm -f ${quote(`${outside}/file`)}`,
    },
    {
      name: 'a link out of the workspace',
      tries: 'It writes to a file outside by a link in the workspace.',
      protection: 'write_fence',
      script: `ln -s ${quote(outside)} link; echo out > link/file; echo out > link/new; ln ${quote(`${outside}/file`)} hard && echo out > hard`,
    },
    {
      name: 'another root',
      tries: 'It writes by the root directories in /proc.',
      protection: 'write_fence',
      script: `for root in self 1 ${victim}; do echo out > "/proc/$root/root"${quote(`${outside}/file`)}; done`,
    },
    {
      name: 'a namespace',
      tries: 'It enters namespaces of its own, in which it could mount.',
      protection: 'call_filter',
      script: `unshare -Urm true && ${SAY}`,
    },
    {
      name: 'a closed file',
      tries: 'It reads a file that policy closes, by its name and by others.',
      protection: 'read_mask',
      script: `cd ${quote(outside)} && cat closed; cat ${quote(`${outside}/closed`)} "/proc/self/root"${quote(`${outside}/closed`)}; ln closed /tmp/closed && cat /tmp/closed`,
    },
    {
      name: "this machine's loopback",
      tries: 'It connects to a server on this machine.',
      protection: 'network_off',
      script: connecting(node, `${port}, '127.0.0.1'`),
    },
    ...hostAttempts(node, port, datagrams, architecture),
    {
      name: 'a Unix socket',
      tries: 'It connects to a socket of another program, by its path.',
      protection: 'process_fence',
      script: connecting(node, JSON.stringify(socket)),
    },
    {
      name: 'an abstract socket',
      tries: 'It connects to a socket that no directory holds.',
      protection: 'process_fence',
      script: connecting(node, `'\\0' + ${JSON.stringify(abstract)}`),
    },
    {
      name: 'a signal',
      tries: 'It kills another process.',
      protection: 'process_fence',
      script: `kill -9 ${victim}`,
    },
    {
      name: 'the list of processes',
      tries: 'It looks for another process.',
      protection: 'process_list',
      script: `m=${half}; m=$m${rest}; for f in /proc/[0-9]*/cmdline; do case "$(tr '\\0' ' ' < "$f")" in "sleep $m "*) ${SAY} ;; esac; done`,
    },
    {
      name: 'a daemon',
      tries: 'It leaves a process running.',
      protection: 'process_end',
      script: `setsid sleep ${left} > /dev/null 2>&1 < /dev/null & echo left`,
    },
    ...callAttempts(architecture),
    {
      name: 'many processes',
      tries: 'It starts more processes than it may.',
      protection: 'process_limit',
      script: 'i=0; while [ $i -lt 200 ]; do sleep 20 & i=$((i+1)); done; wait',
      limits: { processes: 64 },
    },
    {
      name: 'much memory',
      tries: 'It takes more memory than it may.',
      protection: 'memory_limit',
      script: `${quote(node)} -e 'const taken = Buffer.alloc(400 << 20, 1); setTimeout(() => taken.length, 20000)'; true`,
      limits: { memory: 200 << 20 },
    },
  ]
}
