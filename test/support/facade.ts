import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Overlay, openLower, Resolver, Stage } from '../../overlay/index.js'
import type { Decide } from '../../src/core/decision.js'
import type { Denial } from '../../src/core/denials.js'
import { createFacade } from '../../src/fs/facade.js'
import { GuardedLayer, type GuardRules } from '../../src/fs/guarded.js'
import type { Rows } from '../../src/fs/ops.js'
import { View } from '../../src/fs/view.js'
import type { Watches } from '../../src/fs/watches.js'
import { layoutAt } from '../../src/os/workspace-state.js'

/** A facade over a directory with a decision function of the test, without a session. */
export interface BareFacade {
  readonly fs: typeof fs
  readonly overlay: Overlay
  readonly denied: Denial[]
  readonly watches: Watches
}

export function createBareFacade(root: string, decide: Decide = () => ({ verdict: 'stage' }), rows?: Rows): BareFacade {
  const overlay = new Overlay({ lower: openLower(root), stage: new Stage() })
  const denied: Denial[] = []
  const resolver = new Resolver(overlay)
  const layer = new GuardedLayer(overlay, guardRulesFor(decide), (target, link) => resolver.leadsTo(target, link))
  const view = new View({
    root,
    resolver,
    overlay,
    layer,
    seen: () => undefined,
    seenStaged: () => undefined,
    opened: () => undefined,
    sync: () => undefined,
  })
  const facade = createFacade({ view, denied: (denial) => denied.push(denial) }, rows)
  return { fs: facade, overlay, denied, watches: view.watches }
}

/** Guard rules that decide every path by one function, without shortcuts or caches. */
export function guardRulesFor(decide: Decide): GuardRules {
  return {
    decide,
    readsBy: () => undefined,
    mayHide: () => true,
    alikeBelow: () => false,
    mayBeProtected: () => true,
    knownBelow: () => [],
  }
}

/** Creates a temporary directory. `path` is its physical path; `dispose` removes it. */
export function tempDir(prefix = 'escrowfs-'): { path: string; dispose(): void } {
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), prefix)))
  return {
    path: directory,
    dispose: () => {
      // Also remove the state directory of a workspace there.
      const state = fs.existsSync(directory) ? layoutAt(directory).state : undefined
      fs.rmSync(directory, { recursive: true, force: true })
      if (state !== undefined) fs.rmSync(state, { recursive: true, force: true })
    },
  }
}

/** Lists every path below a directory with its type, mode, and content or target. Equal lists mean equal trees. */
export function treeOf(api: typeof fs, root: string): string[] {
  const rows: string[] = []
  const visit = (dir: string, below: string): void => {
    for (const entry of api.readdirSync(dir, { withFileTypes: true })) {
      const at = `${dir}/${entry.name}`
      const name = below === '' ? entry.name : `${below}/${entry.name}`
      const mode = (api.lstatSync(at).mode & 0o7777).toString(8)
      if (entry.isSymbolicLink()) rows.push(`${name} -> ${api.readlinkSync(at)}`)
      else if (entry.isFile()) rows.push(`${name} ${mode} ${api.readFileSync(at).toString('hex')}`)
      else rows.push(`${name}/ ${mode}`)
      if (entry.isDirectory()) visit(at, name)
    }
  }
  visit(root, '')
  return rows
}
