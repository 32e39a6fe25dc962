import { describe, expect, it } from 'vitest'
import type { ContentProvider } from '../../../src/agents/vscode/index.js'
import { displayKey, plainName, STAGED_SCHEME, sideRefOf, stagedSides } from '../../../src/agents/vscode/index.js'
import { startSession, testWorkspace } from '../../support/workspace.js'

interface Uri {
  readonly scheme: string
  readonly path: string
  readonly query: string
}

function fakeEditor() {
  const providers = new Map<string, ContentProvider<Uri>>()
  const vscode = {
    Uri: { file: (path: string): Uri => ({ scheme: 'file', path, query: '' }), from: (parts: Uri): Uri => parts },
    workspace: {
      registerTextDocumentContentProvider(scheme: string, provider: ContentProvider<Uri>) {
        providers.set(scheme, provider)
        return { dispose: () => providers.delete(scheme) }
      },
    },
  }
  const read = (uri: Uri) => (providers.get(STAGED_SCHEME) ?? expect.unreachable()).provideTextDocumentContent(uri)
  return { vscode, read, providers }
}

const REF = { root: '/w', session: 'agent', path: 'src/a b#?.ts', side: 'after', digest: null, shown: 'x' } as const

describe('the documents of staged changes', () => {
  it('identify their content, whatever the name', () => {
    const { vscode } = fakeEditor()
    expect(sideRefOf(stagedSides<Uri>(vscode, () => []).uri(REF))).toEqual(REF)
  })

  it.each([
    '',
    'null',
    '[]',
    '{}',
    '{"root":"/w"',
    '{"root":"/w","session":"s","shown":"x","side":"up","digest":null}',
  ])('of another origin (%s) identify nothing, and show nothing', async (query) => {
    const { vscode, read } = fakeEditor()
    stagedSides<Uri>(vscode, () => [])
    expect(sideRefOf({ path: '/a', query })).toBeUndefined()
    expect(await read({ scheme: STAGED_SCHEME, path: '/a', query })).toContain('Open it again')
  })

  it('belong to one of several workspaces, and to none that is closed', async () => {
    const { vscode, read, providers } = fakeEditor()
    const [one, two] = [testWorkspace(), testWorkspace()]
    const open = [await one.open(), await two.open()]
    for (const [index, workspace] of open.entries())
      (await startSession(workspace)).fs.writeFileSync('src/a.ts', `${index}\n`)
    const sides = stagedSides<Uri>(vscode, () => open)
    const after = async () => {
      const { changes } = await (await (open[0] ?? expect.unreachable()).review('agent')).changes()
      return changes[0]?.after ?? null
    }
    const uri = sides.uri({ ...REF, root: one.root, path: 'src/a.ts', digest: await after() })
    expect(await read(uri)).toBe('0\n')
    open.shift()
    expect(await read(uri)).toContain('Open it again')
    expect(await read(sides.uri({ ...REF, root: two.root }))).toBe('')
    sides.dispose()
    expect(providers.size).toBe(0)
  })
})

describe('the display key of a path', () => {
  it('changes with content, name, kind or mode, and only with them', async () => {
    const workspace = await testWorkspace().open()
    const { fs } = await startSession(workspace)
    const key = async () => displayKey(await (await workspace.review('agent')).changes(), 'src/a.ts')
    const keys = [await key()]
    for (const change of [
      () => fs.writeFileSync('src/a.ts', 'one\n'),
      () => fs.chmodSync('src/a.ts', 0o755),
      () => fs.writeFileSync('src/a.ts', 'two\n'),
      () => fs.rmSync('src/a.ts'),
      () => fs.renameSync('src/b.ts', 'src/a.ts'),
    ]) {
      change()
      keys.push(await key())
      fs.writeFileSync('src/new.ts', `${keys.length}`)
      expect(await key()).toBe(keys.at(-1))
    }
    expect(new Set(keys).size).toBe(6)
  })
})

it('keeps a name on its line', () => {
  expect(plainName('a\nb\u202ec\u200bd\u2028e\u3164')).toBe('a\ufffdb\ufffdc\ufffdd\ufffde\ufffd')
  expect(plainName('Grüße/日本.ts')).toBe('Grüße/日本.ts')
})
