import { mkdtempSync, rmSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, onTestFinished, vi } from 'vitest'
import { build } from '../../../examples/vscode-extension/build.mjs'
import type { Session } from '../../../src/index.js'
import { startSession, type TestWorkspace, testWorkspace } from '../../support/workspace.js'
import { Editor } from './editor.js'
import { readManifest } from './manifest.js'

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url))

interface Extension {
  activate(context: object): Promise<void>
  deactivate(): Promise<void>
}

/** Builds the extension from the current source, for the tests of one file. */
export function useBuiltExtension(): { readonly dist: () => string; readonly home: () => string } {
  let home = ''
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'escrowfs-extension-'))
    await build(join(home, 'dist'), {
      index: join(REPOSITORY, 'src/index.ts'),
      vscode: join(REPOSITORY, 'src/agents/vscode/index.ts'),
    })
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))
  return { home: () => home, dist: () => join(home, 'dist') }
}

/** Loads the bundle with `require` and a given `vscode`, as the editor's extension host does. */
export function loadBundle(dist: string, vscode: object): Extension {
  const file = join(dist, 'main.cjs')
  const require = createRequire(file)
  delete require.cache[file]
  const load: (...given: unknown[]) => unknown = Reflect.get(Module, '_load')
  Reflect.set(Module, '_load', (request: string, ...rest: unknown[]) =>
    request === 'vscode' ? vscode : load.call(Module, request, ...rest),
  )
  try {
    return require(file)
  } finally {
    Reflect.set(Module, '_load', load)
  }
}

export interface ExtensionTest {
  readonly editor: Editor
  readonly project: TestWorkspace
  readonly session: Session
  readonly extension: Extension
  /** Waits until the tree or the status shows a text. */
  waitUntilShown(what: () => boolean): Promise<void>
}

/** Creates a workspace with an agent's session, and an editor with the active extension. */
export async function openExtension(
  dist: string,
  home: string,
  work: (session: Session) => unknown = () => {},
  files?: Readonly<Record<string, string>>,
): Promise<ExtensionTest> {
  const project = testWorkspace(files)
  const workspace = await project.open()
  const session = await startSession(workspace)
  await work(session)
  const editor = new Editor(readManifest(), [project.root])
  const extension = await activateExtension(dist, home, editor)
  return { editor, project, session, extension, waitUntilShown }
}

async function waitUntilShown(what: () => boolean): Promise<void> {
  await vi.waitUntil(what, { timeout: 20_000 })
}

export async function activateExtension(dist: string, home: string, editor: Editor): Promise<Extension> {
  const extension = loadBundle(dist, editor.module())
  const subscriptions: { dispose(): unknown }[] = []
  await extension.activate({ subscriptions, asAbsolutePath: (path: string) => join(home, path) })
  onTestFinished(async () => {
    await extension.deactivate()
    for (const each of subscriptions) each.dispose()
  })
  return extension
}
