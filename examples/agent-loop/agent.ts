import { type Approver, openWorkspace } from 'escrowfs'
import { outcomeText, runTool } from 'escrowfs/hooks'
import type { Call, Message, Model } from './model.js'

/** Runs a model for an intent until it calls no tool. Its writes are staged for a person's review. */
export async function runAgent(root: string, task: string, model: Model, approver: Approver): Promise<string> {
  const workspace = await openWorkspace(root, { approver })
  try {
    const session = await workspace.session({ id: 'agent-1', agent: { tool: 'agent-loop', model: model.name } })
    const { xml } = await session.selectIntent('INT-001')
    const { readFile, writeFile } = session.fs.promises
    const tools: Record<string, (args: Call['args']) => Promise<unknown>> = {
      read_file: ({ path = '' }) => readFile(path, 'utf8'),
      write_file: ({ path = '', content = '' }) => writeFile(path, content).then(() => `Staged ${path}.`),
      run_command: ({ command = '' }) => session.exec(command).then(({ stdout, stderr }) => stdout + stderr),
    }
    const messages: Message[] = [
      { role: 'system', text: xml },
      { role: 'user', text: task },
    ]
    for (;;) {
      const turn = await model.reply(messages)
      messages.push({ role: 'assistant', ...turn })
      if (turn.calls.length === 0) return turn.text
      for (const call of turn.calls) {
        const outcome = await runTool(session, call, () => tools[call.name]?.(call.args) ?? 'There is no such tool.')
        messages.push({ role: 'tool', id: call.id, text: outcomeText(outcome) })
      }
    }
  } finally {
    await workspace.close()
  }
}
