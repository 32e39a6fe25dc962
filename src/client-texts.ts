/** At Cline's no exit code holds a tool: where there is no answer, one is made here. */
export const CLINE_SCRIPT = `#!/bin/sh
# Written by escrow init --cline; taken away by escrow init --cline --remove.
if answer=$(escrow hook cline --session cline); then
  printf '%s\\n' "$answer"
else
  printf '%s\\n' '{"cancel":true,"errorMessage":"escrow could not be asked, so this is refused.","contextModification":""}'
fi
`

/** Codex keeps its servers in TOML, where a table may stand behind all others. */
export const CODEX_SERVER = `# Written by escrow init --codex; taken away by escrow init --codex --remove.
[mcp_servers.escrow]
command = "escrow"
args = ["mcp", "--session", "codex"]
`

/**
 * opencode has no hooks that are programs: a plugin asks one. Only a clear "go" lets a tool run; all else is thrown, which is what
 * holds a tool there.
 */
export const OPENCODE_PLUGIN = `// Written by escrow init --opencode; taken away by escrow init --opencode --remove.
import { spawn } from 'node:child_process'

const HELD = 'escrow could not be asked, so this is refused.'

function ask(directory, event) {
  return new Promise((resolve, reject) => {
    const hook = spawn('escrow', ['hook', 'opencode', '--session', 'opencode'], { cwd: directory })
    const late = setTimeout(() => hook.kill('SIGKILL'), 30_000)
    let said = ''
    let why = ''
    hook.stdout.on('data', (chunk) => { said += chunk })
    hook.stderr.on('data', (chunk) => { why += chunk })
    hook.stdin.on('error', () => {})
    hook.on('error', () => reject(new Error(HELD)))
    hook.on('close', (code) => {
      clearTimeout(late)
      try {
        if (code !== 0) throw new Error(why.trim() || HELD)
        const answer = JSON.parse(said)
        if (answer.go !== true) throw new Error(typeof answer.refuse === 'string' ? answer.refuse : HELD)
        resolve(typeof answer.tell === 'string' ? answer.tell : '')
      } catch (error) {
        reject(error)
      }
    })
    hook.stdin.end(JSON.stringify({ ...event, directory }))
  })
}

export const Escrow = async ({ directory }) => ({
  'tool.execute.before': async (input, output) => {
    const { tool, sessionID, callID } = input
    await ask(directory, { event: 'tool.execute.before', tool, sessionID, callID, args: output.args })
  },
  'tool.execute.after': async (input, output) => {
    const words = await ask(directory, { event: 'tool.execute.after', sessionID: input.sessionID }).catch(() => '')
    if (words !== '') output.output = \`\${output.output}\\n\\n\${words}\`
  },
  'experimental.chat.system.transform': async (input, output) => {
    const words = await ask(directory, { event: 'system', sessionID: input.sessionID }).catch(() => '')
    if (words !== '') output.system.push(words)
  },
})
`
