import childProcess, { type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { LiveMessage, LiveProvider, LiveSettings, LiveWebview } from '../../../src/agents/roo/index.js'

/**
 * A fake of Roo's provider and terminal, as research found them: the shell is a static that only an `updateSettings`
 * message sets, the setting of that name is kept across activations and restores nothing, and execa runs a task's
 * command unless `terminalShellIntegrationDisabled` is false.
 */
export class FakeHost implements LiveProvider {
  readonly settings: Record<string, unknown>
  /** Commands that would have run on the disk: without a shell, or in the editor's terminal. */
  readonly loose: string[] = []
  readonly messages: LiveMessage[] = []
  /** The `child_process` of its modules. */
  programs = childProcess
  /** A host that no longer reads its messages. */
  isDeaf = false
  shell: string | undefined

  constructor(state: Record<string, unknown> = {}) {
    this.settings = { ...state }
  }

  readonly contextProxy: LiveSettings = {
    getValue: (key) => this.settings[key],
    setValue: async (key, value) => {
      this.settings[key] = value
    },
  }

  async getState() {
    const { terminalShellIntegrationDisabled: off } = this.settings
    return { terminalShellIntegrationDisabled: typeof off === 'boolean' ? off : true }
  }

  setWebviewMessageListener(webview: LiveWebview): void {
    webview.onDidReceiveMessage(async (message) => {
      if (this.isDeaf) return
      this.messages.push(message)
      for (const [key, value] of Object.entries(message.updatedSettings)) {
        if (key === 'execaShellPath') this.shell = typeof value === 'string' ? value : undefined
        await Promise.resolve()
        this.settings[key] = value
      }
    })
  }

  /** As in execa: by the `shell` of `spawn`; the environment is a copy, taken when the command starts. */
  async run(command: string, cwd: string): Promise<string> {
    const { terminalShellIntegrationDisabled: isExeca } = await this.getState()
    const text = command.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&')
    if (!isExeca || this.shell === undefined) {
      this.loose.push(text)
      return 'ran on the disk'
    }
    const env = { ...process.env, LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8' }
    const { code, output } = await waitForExit(this.programs.spawn(text, [], { shell: this.shell, cwd, env }))
    return `Exit code: ${code}\nOutput:\n${output}`
  }
}

/** Starts a shell as Node does for execa, with the current environment of this process. */
export async function startShell(shell: string, command: string, cwd: string) {
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe']
  return waitForExit(childProcess.spawn(shell, ['-c', command], { cwd, env: { ...process.env }, stdio }))
}

async function waitForExit(child: ChildProcess) {
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += String(chunk)
    })
  const [code] = await once(child, 'close')
  return { code: Number(code), output }
}
