/** Seconds after which a hook is killed. Clients let a tool run if its hook takes 30; escrow's hook usually answers within 20. */
const HOOK_TIMEOUT_SECONDS = 25

/**
 * Sets PATH for a shell: first the directory that `escrow init` wrote into the state directory of the current user, so that no
 * shared file contains a path of one machine, then the inherited PATH.
 */
export const WITH_PATH = `PATH="\${XDG_STATE_HOME:-$HOME/.local/state}/escrowfs/bin:\${XDG_STATE_HOME:-$HOME/Library/Application Support}/escrowfs/bin:$PATH"`

/** A shell line that execs escrow. */
export const escrowLine = (args: string) => `${WITH_PATH}; exec escrow ${args}`

/** escrow's MCP server as a program and its arguments. */
export const serverCommand = (session?: string): [string, ...string[]] => [
  '/bin/sh',
  '-c',
  escrowLine(session === undefined ? 'mcp' : `mcp --session ${session}`),
]

const hookPipeline = (client: string) =>
  `a=$($(command -v timeout >/dev/null && echo timeout -s KILL ${HOOK_TIMEOUT_SECONDS}) escrow hook ${client} --session ${client}) && ` +
  `case $a in "{"*"}") printf "%s\\n" "$a";; *) false;; esac || ` +
  `{ [ $? = 2 ] || echo "escrow could not be asked, so this is refused." >&2; exit 2; }`

/**
 * The command of a hook. A hook that hangs is killed before the client's own timeout, if the system has `timeout`. A
 * timeout, a program that does not start, and invalid output on stdout refuse the call: exit code 2, with a message,
 * which some clients need.
 */
export const hookCommand = (client: string) => `/bin/sh -c '${WITH_PATH}; ${hookPipeline(client)}'`

/** The commands that earlier versions added. */
export const FORMER_COMMANDS = {
  claude: ['escrow hook claude --session claude || exit 2', `/bin/sh -c '${hookPipeline('claude')}'`],
  codex: [
    "escrow hook codex --session codex || { echo 'escrow could not be asked, so this is refused.' >&2; exit 2; }",
    `/bin/sh -c '${hookPipeline('codex')}'`,
  ],
  gemini: [
    "escrow hook gemini --session gemini || { echo 'escrow could not be asked, so this is refused.' >&2; exit 2; }",
    `/bin/sh -c '${hookPipeline('gemini')}'`,
  ],
} as const

/** Digests of files that earlier versions wrote. */
export const FORMER_FILES: readonly string[] = [
  '020d384dab0f5e61d08792d003f9e7c823951583329eef24da6b689fb180243a',
  '8eaa5c70dc3b7b23a57133854942f1b85e910783fde1d634bd8e8145899c451c',
  '9daa50090e92dd383c5b7e4d3557af126eadab6110fd0f0e41fbc1d5eab6619a',
  '65ddbbc47b6d757bf201d44eaf9ca7397ea315f68db586d210156ad1d7035c41',
]

/** No exit code blocks a tool in Cline, so the script prints a refusal if there is no answer. */
export const CLINE_SCRIPT = `#!/bin/sh
# Written by escrow init --cline; taken away by escrow init --cline --remove.
${WITH_PATH}
limit=$(command -v timeout >/dev/null && echo 'timeout -s KILL ${HOOK_TIMEOUT_SECONDS}')
if answer=$($limit escrow hook cline --session cline) && case $answer in '{'*'}') ;; *) false ;; esac; then
  printf '%s\\n' "$answer"
else
  printf '%s\\n' '{"cancel":true,"errorMessage":"escrow could not be asked, so this is refused.","contextModification":""}'
fi
`

/** The first lines of escrow's table. Codex configures servers in TOML, where a table may come last. */
const codexServer = (
  command: string,
  args: string,
) => `# Written by escrow init --codex; taken away by escrow init --codex --remove.
[mcp_servers.escrow]
command = ${command}
args = ${args}
`
const [SHELL, ...LINE] = serverCommand('codex')
const OPTIONAL_CODEX_SERVER = codexServer(
  JSON.stringify(SHELL),
  `[${LINE.map((word) => JSON.stringify(word)).join(', ')}]`,
)

/** Codex waits one second for a server that is not required, and then sends the first request without its tools. */
export const CODEX_SERVER = `${OPTIONAL_CODEX_SERVER}required = true
startup_timeout_sec = 30
`

/** The texts that earlier versions wrote, the longest first. */
export const FORMER_CODEX_SERVERS = [
  OPTIONAL_CODEX_SERVER,
  codexServer('"escrow"', '["mcp", "--session", "codex"]'),
] as const

/**
 * opencode's hooks are plugins, so a plugin runs the hook program. Only a clear "go" lets a tool run; everything else throws, which
 * blocks the tool.
 */
export const OPENCODE_PLUGIN = `// Written by escrow init --opencode; taken away by escrow init --opencode --remove.
import { spawn } from 'node:child_process'

const HELD = 'escrow could not be asked, so this is refused.'
const LINE = '${escrowLine('hook opencode --session opencode')}'

function ask(directory, event) {
  return new Promise((resolve, reject) => {
    const hook = spawn('/bin/sh', ['-c', LINE], { cwd: directory })
    const late = setTimeout(() => {
      hook.kill('SIGKILL')
      reject(new Error(HELD))
    }, 30_000)
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
