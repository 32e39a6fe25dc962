import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { codeOf } from '../../overlay/errno.js'
import { asRelPath, childOf, mergedState, Overlay, openLower, type RelPath, ROOT, Stage } from '../../overlay/index.js'
import type { OverlayOptions } from '../../overlay/overlay-options.js'
import { ancestorsOf } from '../../overlay/path.js'
import { tempDir } from '../support/facade.js'

/** An overlay in memory over a temporary directory of the test. */
export interface OverlayBench {
  readonly root: string
  readonly overlay: Overlay
  dispose(): void
}

export function overlayOver(tree: SeedTree, more: Partial<OverlayOptions> = {}): OverlayBench {
  const { path: root, dispose } = tempDir()
  seed(root, tree)
  return { root, overlay: new Overlay({ lower: openLower(root), stage: new Stage(), ...more }), dispose }
}

/** path → content; a path that ends in `/` is a directory, a content that starts with `-> ` a symlink. */
export type SeedTree = Readonly<Record<string, string>>

export function seed(root: string, tree: SeedTree): void {
  for (const [path, content] of Object.entries(tree)) {
    const full = `${root}/${path}`
    if (path.endsWith('/')) {
      mkdirSync(full, { recursive: true })
      continue
    }
    mkdirSync(dirname(full), { recursive: true })
    if (content.startsWith('-> ')) symlinkSync(content.slice(3), full)
    else writeFileSync(full, content)
  }
}

export const p = asRelPath

/** Every path that the merged view shows, with its type, mode and content, without `.orchestration`. */
export function mergedFiles(overlay: Overlay): Record<string, string> {
  const found: Record<string, string> = {}
  const visit = (dir: RelPath): void => {
    for (const { name, type } of overlay.readdir(dir)) {
      const path = childOf(dir, name)
      if (path === '.orchestration') continue
      const mode = mergedState(overlay, path)?.mode.toString(8) ?? '?'
      if (type === 'file') found[path] = `file ${mode} ${overlay.read(path).toString('latin1')}`
      else if (type === 'symlink') found[path] = `link ${overlay.readlink(path)}`
      else {
        found[path] = `dir ${mode}`
        visit(path)
      }
    }
  }
  visit(ROOT)
  return found
}

/** The same for a directory on disk. */
export function onDisk(root: string): Record<string, string> {
  const found: Record<string, string> = {}
  const visit = (dir: string): void => {
    for (const name of readdirSync(`${root}/${dir}`).sort()) {
      const path = dir === '' ? name : `${dir}/${name}`
      if (path === '.orchestration') continue
      const stats = lstatSync(`${root}/${path}`)
      const mode = (stats.mode & 0o7777).toString(8)
      if (stats.isFile()) found[path] = `file ${mode} ${readFileSync(`${root}/${path}`).toString('latin1')}`
      else if (stats.isSymbolicLink()) found[path] = `link ${readlinkSync(`${root}/${path}`)}`
      else {
        found[path] = `dir ${mode}`
        visit(path)
      }
    }
  }
  visit('')
  return found
}

// ---- random sequences of the seven mutators

export type Mutation =
  | { readonly op: 'put'; readonly path: RelPath; readonly data: string; readonly at?: number }
  | { readonly op: 'mkdir' | 'remove' | 'removeTree'; readonly path: RelPath }
  | { readonly op: 'move' | 'link'; readonly from: RelPath; readonly to: RelPath }
  | { readonly op: 'symlink'; readonly path: RelPath; readonly target: string }
  | { readonly op: 'chmod'; readonly path: RelPath; readonly mode: number }
  | { readonly op: 'truncate'; readonly path: RelPath; readonly size: number }

/** A lower directory so small that random names collide: nested, with an empty directory, links and equal contents. */
export const LOWER: SeedTree = {
  'a/a': 'lower a/a',
  'a/b/a': 'lower a/b/a',
  'a/b/c': 'same',
  'b/a': 'same',
  'b/c/a/b': 'lower deep',
  'b/l': '-> ../a',
  c: 'lower c',
  'd/': '',
  l: '-> c',
}

const name = fc.constantFrom('a', 'b', 'c', 'd', 'l')
const path = fc
  .array(name, { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join('/'))
  .map(p)
const data = fc.constantFrom('', 'x', 'same', 'lower c', 'written once', 'written twice')
const pair = { from: path, to: path }

export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ op: fc.constant('put' as const), path, data }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('put' as const), path, data, at: fc.nat({ max: 12 }) }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('mkdir' as const), path }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('remove' as const), path }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('removeTree' as const), path }) },
  { weight: 6, arbitrary: fc.record({ op: fc.constant('move' as const), ...pair }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('link' as const), ...pair }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('symlink' as const), path, target: fc.constantFrom('c', 'nowhere') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('chmod' as const), path, mode: fc.constantFrom(0o600, 0o700, 0o755) }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('truncate' as const), path, size: fc.nat({ max: 12 }) }) },
)

/** Applies a mutation; returns the errno code if it was refused. An error without a code is a bug. */
export function mutate(overlay: Overlay, step: Mutation): string | undefined {
  const paths = 'from' in step ? [step.from, step.to] : [step.path]
  // The overlay gets physical paths; the resolver follows links.
  const above = paths.flatMap((path) => ancestorsOf(path).reverse())
  if (above.some((dir) => overlay.typeOf(dir) === 'symlink')) return 'ELOOP'
  try {
    apply(overlay, step)
    return undefined
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined) throw error
    return code
  }
}

function apply(overlay: Overlay, step: Mutation): void {
  if (step.op === 'put') {
    overlay.put(
      step.path,
      Buffer.from(step.data),
      step.at === undefined ? { mode: 0o644 } : { mode: 0o644, at: step.at },
    )
  } else if (step.op === 'mkdir') overlay.mkdir(step.path, 0o755)
  else if (step.op === 'remove') overlay.remove(step.path)
  else if (step.op === 'removeTree') removeTree(overlay, step.path)
  else if (step.op === 'move') overlay.move(step.from, step.to)
  else if (step.op === 'link') overlay.link(step.from, step.to)
  else if (step.op === 'symlink') overlay.symlink(step.target, step.path)
  else if (step.op === 'chmod') chmod(overlay, step.path, step.mode)
  else if (step.op === 'truncate') overlay.setattr(step.path, { size: step.size })
}

/** A link has no mode of its own, and a directory must stay accessible to its owner. */
function chmod(overlay: Overlay, path: RelPath, mode: number): void {
  const type = overlay.typeOf(path)
  if (type !== 'symlink') overlay.setattr(path, { mode: type === 'dir' ? mode | 0o700 : mode })
}

export function removeTree(overlay: Overlay, path: RelPath): void {
  if (overlay.typeOf(path) === 'dir')
    for (const entry of overlay.readdir(path)) removeTree(overlay, childOf(path, entry.name))
  overlay.remove(path)
}

// ---- changes by other programs meanwhile

export interface OutsideChange {
  readonly path: RelPath
  readonly to: 'file' | 'dir' | 'nothing'
}

export const outside: fc.Arbitrary<OutsideChange> = fc.record({
  path,
  to: fc.constantFrom<OutsideChange['to'][]>('file', 'dir', 'nothing'),
})

/** Removes the existing entry, then creates the new one; does nothing if the parent is not a directory. */
export function changeDisk(root: string, { path, to }: OutsideChange): void {
  const parent = dirname(`${root}/${path}`)
  if (!existsSync(parent) || !lstatSync(parent).isDirectory()) return
  rmSync(`${root}/${path}`, { recursive: true, force: true })
  if (to === 'file') writeFileSync(`${root}/${path}`, `outside ${path}`)
  if (to === 'dir') mkdirSync(`${root}/${path}`)
}
