/** The marks around escrow's lines in a script of git's hooks. */
export const HOOK_BEGIN = '# >>> escrow: keeps the authors of lines (escrow init --git) >>>\n'
export const HOOK_END = '# <<< escrow <<<\n'

const START = `#!/bin/sh\n${HOOK_BEGIN}`

/** Whether a script contains only escrow's lines. */
export function isOwnHook(script: string): boolean {
  return script.startsWith(START) && script.indexOf(HOOK_END) === script.length - HOOK_END.length
}
