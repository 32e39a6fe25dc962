import fs from 'node:fs'
import { expect, it } from 'vitest'
import { withStateHome } from '../../src/os/state-dir.js'
import { escrowAt } from '../cli/real.js'
import { tempDir, treeOf } from '../support/facade.js'
import { initRepository } from '../support/git.js'
import { startSession, testWorkspace } from '../support/workspace.js'
import { claudeLine, histories } from './history.js'

/** Calls that would change the workspace and its surroundings, if anything ran them. */
const harm = (root: string) => [
  claudeLine('Write', { file_path: `${root}/src/a.ts`, content: 'overwritten\n' }, { cwd: root }),
  claudeLine('Write', { file_path: `${root}/src/new.ts`, content: 'new\n' }, { cwd: root }),
  claudeLine('Write', { file_path: `${root}/.orchestration/policy.yaml`, content: 'access: {}\n' }, { cwd: root }),
  claudeLine('Bash', { command: `touch ${root}/ran; git commit --allow-empty -m ran` }, { cwd: root }),
  claudeLine('Bash', { command: `rm -rf ${root}` }, { cwd: root }),
]

/** Everything below a directory, with the time of each file's last change. */
function snapshotOf(root: string): string[] {
  const names = fs.readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()
  return [...treeOf(fs, root), ...names.map((name) => `${name} ${fs.lstatSync(`${root}/${name}`).mtimeMs}`)]
}

it.each<[string, (out: string) => string[]]>([
  ['a report', () => []],
  ['a proposal', () => ['--propose']],
  [
    'a page and cases, which are written where the caller says',
    (out) => ['--html', `${out}/page.html`, '--record', out],
  ],
])('leaves the workspace, the state of this machine and the histories unchanged, for %s', async (_, options) => {
  const [state, out] = [tempDir(), tempDir()]
  const project = testWorkspace()
  try {
    await withStateHome(state.path, async () => {
      initRepository(project.root)
      project.write('.orchestration/policy.yaml', 'terminal: { classes: { destructive: ask, other: allow } }\n')
      const workspace = await project.open()
      const session = await startSession(workspace)
      session.fs.writeFileSync('src/a.ts', 'staged\n')
      await workspace.close()
      const history = histories({ 'a.jsonl': harm(project.root) })
      const places = [project.root, state.path, history]
      const before = places.map(snapshotOf)
      const argv = ['backtest', history, '--json', ...options(out.path)]
      const { code, err, out: printed } = await escrowAt(project.root, argv)
      expect([code, err]).toEqual([0, ''])
      if (!argv.includes('--propose')) expect(JSON.parse(printed).calls.all).toBe(5)
      expect(places.map(snapshotOf)).toEqual(before)
    })
  } finally {
    state.dispose()
    out.dispose()
  }
})
