import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { compileOnce } from '../support/compiled.js'
import { tempDir } from '../support/facade.js'
import { INTENTS, testWorkspace } from '../support/workspace.js'

const MAIN = join(compileOnce(), 'src/cli/main.js')
const REPORT = `process.on('exit', () => require('node:fs').writeFileSync(process.env.LOADED, Object.keys(require.cache).join('\\n')))`

function place() {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  writeFileSync(`${path}/report.cjs`, REPORT)
  // A text that no other test has, because a text that one workspace parsed is not parsed again in another.
  const { root } = testWorkspace(undefined, `# ${path}\nactive_intent_id: INT-001\n${INTENTS}`)
  return { root, dir: path }
}

/** Which parsers a command loads. */
function parsersOf({ root, dir }: ReturnType<typeof place>, args: readonly string[], input = ''): string[] {
  const { ESCROW_SESSION, ESCROW_SESSION_ID, ESCROW_INTENT_ID, CLAUDE_PROJECT_DIR, ...env } = process.env
  const { status, stderr } = spawnSync(process.execPath, ['-r', `${dir}/report.cjs`, MAIN, ...args], {
    ...{ cwd: root, input, encoding: 'utf8' },
    env: { ...env, LOADED: `${dir}/loaded`, XDG_STATE_HOME: env.XDG_STATE_HOME ?? dir },
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const files = readFileSync(`${dir}/loaded`, 'utf8')
  return ['yaml', 'zod'].filter((parser) => files.includes(`/chunks/${parser}-`))
}

const READ = { hook_event_name: 'PreToolUse', session_id: 's1', tool_name: 'Read', tool_input: { file_path: 'a.ts' } }

describe('a command that people wait for', () => {
  it('loads no parser, unless a file changed', () => {
    const at = place()
    const event = JSON.stringify({ ...READ, cwd: at.root })
    expect(parsersOf(at, ['hook', 'claude'], event)).toEqual(['yaml', 'zod'])
    expect(parsersOf(at, ['hook', 'claude'], event)).toEqual([])
    expect(parsersOf(at, ['status'])).toEqual([])
    const file = `${at.root}/.orchestration/active_intents.yaml`
    writeFileSync(file, `${readFileSync(file, 'utf8')}# a note\n`)
    expect(parsersOf(at, ['hook', 'claude'], event)).toEqual(['yaml', 'zod'])
    expect(parsersOf(at, ['hook', 'claude'], event)).toEqual([])
  })
})
