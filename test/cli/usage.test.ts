import { expect, it } from 'vitest'
import { escrow, workspaceDir } from './harness.js'

/** A combination of options that exclude each other is wrong usage: exit code 2, and nothing is done. */

const REJECT = ['reject', 's1', '--reason', 'no']

it.each<[command: string[], error: string]>([
  [['approve', 's1', 'a.ts', '--call', 'c1'], 'give --call or paths, not both'],
  [['approve', 's1', '--hunk', 'h1', '--call', 'c1'], 'give --call or --hunk, not both'],
  [[...REJECT, 'a.ts', '--call', 'c1'], 'give --call or paths, not both'],
  [[...REJECT, '--hunk', 'h1', '--call', 'c1'], 'give --call or --hunk, not both'],
  [['discard', 's1', 'a.ts', '--call', 'c1'], 'give --call or paths, not both'],
  [['discard', 's1', '--hunk', 'h1', '--call', 'c1'], 'give --call or --hunk, not both'],
  [['check', '--all', '--approved'], 'give --all or --approved, not both'],
  [['use', 'INT-001', '--none'], 'give an intent or --none, not both'],
  [['start', '--intent', 'INT-001', '--task', 'Tax', '--', 'true'], 'give --intent or --task, not both'],
  [['start', '--intent', 'INT-001', '--scope', 'src/**', '--', 'true'], 'give --intent or --scope, not both'],
  [['claude', '--intent', 'INT-001', '--task', 'Tax'], 'give --intent or --task, not both'],
  [['undo', '1', '--since', '3d'], "give commits, or a time with '--since'"],
  [['diff', 's1', '--stat', '--name-only'], "option '--stat' cannot be used with option '--name-only'"],
  [['quarantine', 's1', '--intent', 'INT-001'], "option '--intent <id>' needs '--take'"],
  [['init', '--http', 'http://127.0.0.1:1'], "option '--http <url>' needs '--claude'"],
  [['review', 's1', '--per', 'step'], "option '--per <what>' needs '--export'"],
])('%j is wrong usage', async (command, error) => {
  const { code, err, calls } = await escrow(workspaceDir(), command)
  expect(err).toContain(`error: ${error}\n`)
  expect([code, calls]).toEqual([2, []])
})
