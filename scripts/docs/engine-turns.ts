import { HookEngine } from '../../src/hooks/engine.js'
import { openWorkspace } from '../../src/index.js'
import { code, table } from './markdown.js'
import { ONE_INTENT, withScratchWorkspace } from './scratch.js'

/** The turn state of a hook engine during each step of a conversation, and after it. */

const FILES = { '.orchestration/active_intents.yaml': ONE_INTENT, 'src/a.js': 'one\n' }

interface Step {
  readonly label: string
  run(call: Call, engine: HookEngine): Promise<unknown>
}

type Call = (toolName: string, params: Readonly<Record<string, unknown>>, fails?: boolean) => Promise<unknown>

const STEPS: readonly Step[] = [
  { label: 'a person speaks', run: (_call, engine) => engine.startTurn('it') },
  { label: 'a read', run: (call) => call('read_file', { path: 'src/a.js' }) },
  { label: 'a write without an intent', run: (call) => call('write_to_file', { path: 'src/a.js', content: '' }) },
  { label: 'an intent is selected', run: (call) => call('select_active_intent', { intent_id: 'INT-001' }) },
  { label: 'a write in scope', run: (call) => call('write_to_file', { path: 'src/a.js', content: '' }) },
  { label: 'a write in scope that fails by itself', run: (call) => call('write_to_file', { path: 'src/a.js' }, true) },
  { label: 'a write out of scope', run: (call) => call('write_to_file', { path: 'README.md', content: '' }) },
  { label: 'a read after it', run: (call) => call('read_file', { path: 'src/a.js' }) },
  { label: 'a command', run: (call) => call('execute_command', { command: 'make' }) },
  { label: 'the intent is cleared', run: (call) => call('select_active_intent', { intent_id: null }) },
  { label: 'the conversation ends', run: (_call, engine) => engine.endTask('it') },
]

export function engineTable(): Promise<string> {
  return withScratchWorkspace(FILES, async ({ root }) => {
    const engine = new HookEngine({ open: openWorkspace })
    let within: string | undefined
    const call: Call = (toolName, params, fails) =>
      engine
        .runWithHooks({ taskId: 'it', cwd: root, toolName, params }, () => {
          within = engine.turns.stateOf('it')
          if (fails) throw new Error('It failed.')
        })
        .catch(() => undefined)
    const rows: string[][] = []
    try {
      for (const { label, run } of STEPS) {
        within = undefined
        await run(call, engine)
        rows.push([label, within === undefined ? 'no tool runs' : code(within), code(engine.turns.stateOf('it'))])
      }
    } finally {
      await engine.close()
    }
    return table(['what happens', 'while the tool runs', 'after it'], rows)
  })
}
