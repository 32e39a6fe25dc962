import type { CommandClass } from '../core/command-class.js'

/** A program that runs the command in its arguments. */
export interface Wrapper {
  /** Options with a value in the next word, separated by spaces. */
  readonly values: string
  /** Options without a value, or with an attached one. */
  readonly flags: string
  /** Options that remove variables, which may change what a program does. */
  readonly clearsVariables?: RegExp
  /** Number of its own operands before the command. */
  readonly operands?: number
  /** Accepts `NAME=value` before the command. */
  readonly assigns?: true
  /** Appends words to the command. */
  readonly appends?: true
  /** Options with which it only looks a command up. */
  readonly queries?: string
  /** An additional class of its own. */
  readonly is?: CommandClass
}

export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  [
    'env',
    {
      values: '-u --unset -C --chdir',
      flags: '-i --ignore-environment - -0 --null',
      clearsVariables: /^-(?:$|[^-]*[iu]|-unset|-ignore-environment)/,
      assigns: true,
    },
  ],
  [
    'sudo',
    {
      values: '-u -g -h -p -C -r -t -T -U -D --user --group --host --prompt',
      flags: '-n -E -H -S -k -b -A -P -B --preserve-env --non-interactive',
      assigns: true,
      is: 'other',
    },
  ],
  ['doas', { values: '-u -C', flags: '-n -L', is: 'other' }],
  [
    'xargs',
    {
      values: '-n -I -P -L -d -a -E -s --max-args --max-procs --delimiter --arg-file --max-lines --replace',
      flags: '-0 -r -t -x -p -i -l -e --null --no-run-if-empty --verbose',
      appends: true,
    },
  ],
  [
    'parallel',
    { values: '-j --jobs -I -a --arg-file -n', flags: '-0 -k --keep-order --bar', appends: true, is: 'other' },
  ],
  ['time', { values: '-f --format', flags: '-p -v -a --portability --verbose' }],
  ['gtime', { values: '-f', flags: '-p -v' }],
  ['nohup', { values: '', flags: '' }],
  [
    'timeout',
    { values: '-s --signal -k --kill-after', flags: '--foreground --preserve-status -v --verbose', operands: 1 },
  ],
  ['gtimeout', { values: '-s -k', flags: '--foreground', operands: 1 }],
  ['nice', { values: '-n --adjustment', flags: '' }],
  ['ionice', { values: '-c -n --class --classdata', flags: '-t' }],
  ['chrt', { values: '', flags: '-b -f -i -o -r', operands: 1 }],
  ['taskset', { values: '', flags: '', operands: 1 }],
  ['stdbuf', { values: '-i -o -e --input --output --error', flags: '' }],
  ['unbuffer', { values: '', flags: '-p' }],
  ['setsid', { values: '', flags: '-c -f -w --ctty --fork --wait' }],
  ['command', { values: '', flags: '-p', queries: '-v -V' }],
  ['builtin', { values: '', flags: '' }],
  ['exec', { values: '-a', flags: '-c -l', clearsVariables: /^-[^-]*c/ }],
  ['coproc', { values: '', flags: '', is: 'other' }],
  ['noglob', { values: '', flags: '', is: 'other' }],
  ['busybox', { values: '', flags: '' }],
  ['toybox', { values: '', flags: '' }],
  ['watch', { values: '-n --interval', flags: '-d -t -g -e -b -c -x', is: 'other' }],
  [
    'flock',
    {
      values: '-w --timeout -E',
      flags: '-n -x -s -e -o -u --nonblock',
      operands: 1,
      is: 'write',
    },
  ],
  ['strace', { values: '-e -p -s -u', flags: '-f -ff -c -t -tt -v', is: 'other' }],
  ['ltrace', { values: '-e', flags: '-f -c', is: 'other' }],
  ['caffeinate', { values: '-t -w', flags: '-d -i -m -s -u' }],
  ['chroot', { values: '', flags: '', operands: 1, is: 'other' }],
  ['unshare', { values: '', flags: '-r -m -n -p -f -U -u -i', is: 'other' }],
  ['proot', { values: '', flags: '', is: 'other' }],
  ['cross-env', { values: '', flags: '', assigns: true }],
  ['cross-env-shell', { values: '', flags: '', assigns: true, is: 'other' }],
  ['dotenv', { values: '-e', flags: '--', is: 'other' }],
])
