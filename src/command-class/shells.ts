import type { CommandContext } from './scene.js'
import { partOf } from './scene.js'
import type { Word } from './words.js'

/** Shells, and whether the grammar parses their language. */
export const SHELLS: ReadonlyMap<string, boolean> = new Map([
  ['sh', true],
  ['bash', true],
  ['dash', true],
  ['ash', true],
  ['rbash', true],
  ['ksh', false],
  ['mksh', false],
  ['zsh', false],
  ['fish', false],
  ['csh', false],
  ['tcsh', false],
  ['su', false],
])

/** `sh -c '…'` is judged by its script; a script from a file or unknown input is `other`. */
export function judgeShell(name: string, args: readonly Word[], scene: CommandContext): undefined {
  const { found } = scene
  const part = partOf([{ source: name, text: name, lead: name, splits: false }, ...args])
  if (SHELLS.get(name) === false) found.unknown(part, 'is a shell with its own language')
  const { script, hasCommand, readsStdin, isKnown } = parseShellOptions(args)
  if (!isKnown) found.unknown(part, 'has unknown options')
  if (hasCommand) {
    if (script?.text === undefined) return found.unknown(part, 'runs a script that is known only at run time')
    return scene.script(script.text, scene.stdin)
  }
  if (script !== undefined && !readsStdin) return found.unknown(part, 'runs a file')
  judgeStdinScript(part, scene)
}

/** A shell without a script runs its input. */
function judgeStdinScript(part: string, { stdin, found, script }: CommandContext): undefined {
  if (stdin.text !== undefined) return script(stdin.text, { from: 'caller' })
  if (stdin.from === 'network') return found.add(['destructive', 'other'], part, 'runs code from another machine')
  found.unknown(part, 'runs its input')
}

interface ShellOptions {
  /** The script of `-c`, or the script file. */
  readonly script: Word | undefined
  readonly hasCommand: boolean
  readonly readsStdin: boolean
  readonly isKnown: boolean
}

function parseShellOptions(args: readonly Word[]): ShellOptions {
  let [hasCommand, readsStdin, isKnown] = [false, false, true]
  let at = 0
  for (; at < args.length; at++) {
    const { text } = args[at] ?? {}
    if (text === undefined || !/^[-+]./.test(text)) break
    if (text === '--') {
      at++
      break
    }
    if (/^[-+]o$/.test(text)) at++
    else if (/^-[aefhlmnuvxsECHPTBc]+$/.test(text)) {
      hasCommand ||= text.includes('c')
      readsStdin ||= text.includes('s')
    } else if (!/^(?:\+[a-zA-Z]+|--(?:login|norc|noprofile|posix))$/.test(text)) isKnown = false
  }
  const script = args[at]
  return { script, hasCommand, readsStdin, isKnown: isKnown && (script?.text !== undefined || script === undefined) }
}
