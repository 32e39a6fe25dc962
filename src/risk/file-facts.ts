import { type Changed, MAX_BYTES, type Side, type Texts } from './changed.js'
import type { Found } from './facts.js'
import { buildOf, isCi, isMigration, isTest, isToolConfig, runnerOf } from './paths.js'

/**
 * Facts about the file itself: its removal, its permissions, its type, the programs that run it, and whether it can be
 * read.
 */
export function fileFacts(change: Changed, texts: Texts | undefined): Found[] {
  return [...deletion(change), ...permissions(change), ...links(change), ...runs(change), ...legibility(change, texts)]
}

function deletion({ kind, path, before }: Changed): Found[] {
  if (kind !== 'delete' || before?.type === 'dir') return []
  return [{ name: 'deleted', what: path }, ...(isTest(path) ? [{ name: 'test-deleted' as const, what: path }] : [])]
}

function permissions({ before, after }: Changed): Found[] {
  if (after === null || after.type !== 'file') return []
  const gained = after.mode & ~(before?.type === 'file' ? before.mode : 0)
  const found: Found[] = []
  if ((gained & 0o111) !== 0 && ((before?.mode ?? 0) & 0o111) === 0) found.push({ name: 'executable', what: '' })
  if ((gained & 0o6000) !== 0) found.push({ name: 'set-id', what: '' })
  if ((gained & 0o002) !== 0) found.push({ name: 'permissions-wider', what: '' })
  return found
}

function links({ path, before, after }: Changed): Found[] {
  if (after === null) return []
  const found: Found[] = []
  if (before !== null && before.type !== after.type) found.push({ name: 'type-changed', what: before.type })
  if (after.type !== 'symlink') return found
  const target = after.content === null ? '' : new TextDecoder().decode(after.content)
  return [...found, { name: leavesWorkspace(path, target) ? 'link-outside' : 'link', what: target }]
}

function leavesWorkspace(path: string, target: string): boolean {
  if (target.startsWith('/') || /^[A-Za-z]:|^\\/.test(target)) return true
  let depth = path.split('/').length - 1
  for (const part of target.split('/')) {
    if (part === '..') depth--
    else if (part !== '.' && part !== '') depth++
    if (depth < 0) return true
  }
  return false
}

function runs({ path, kind, after }: Changed): Found[] {
  if (kind === 'delete' || after?.type === 'dir') return []
  const runner = runnerOf(path)
  if (runner !== undefined) return [{ name: 'runs-by-itself', what: runner }]
  if (isCi(path)) return [{ name: 'ci-changed', what: path }]
  const build = buildOf(path)
  if (build !== undefined) return [{ name: 'build-file', what: build }]
  if (isToolConfig(path)) return [{ name: 'tool-config', what: path }]
  return isMigration(path) ? [{ name: 'migration', what: path }] : []
}

const MANY_LINES = 400

function legibility({ kind, path, before, after }: Changed, texts: Texts | undefined): Found[] {
  if (kind === 'delete' || after?.type !== 'file' || sameBytes(before, after)) return []
  if (texts === undefined) return unreadable(path, after)
  const lines = texts.added.length + texts.removed.length
  return lines > MANY_LINES ? [{ name: 'large', what: `${lines}` }] : []
}

export function sameBytes(before: Side | null, after: Side | null): boolean {
  if (before?.content == null || after?.content == null) return false
  return Buffer.compare(before.content, after.content) === 0
}

/** Binary contents that only show or sound. */
const MEDIA = /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|tiff?|woff2?|ttf|otf|eot|mp[34]|webm|ogg|wav|pdf)$/i

/** The first bytes of programs and archives. */
const PROGRAMS: readonly (readonly [bytes: readonly number[], kind: string])[] = [
  [[0x7f, 0x45, 0x4c, 0x46], 'ELF'],
  [[0x4d, 0x5a], 'Windows program'],
  [[0xcf, 0xfa, 0xed, 0xfe], 'Mach-O'],
  [[0xca, 0xfe, 0xba, 0xbe], 'Mach-O or Java class'],
  [[0x00, 0x61, 0x73, 0x6d], 'WebAssembly'],
  [[0x50, 0x4b, 0x03, 0x04], 'zip archive'],
  [[0x1f, 0x8b], 'gzip archive'],
]

function unreadable(path: string, { content }: Side): Found[] {
  const program = PROGRAMS.find(([bytes]) => bytes.every((byte, at) => content?.[at] === byte))?.[1]
  if (program !== undefined) return [{ name: 'program-binary', what: program }]
  const isMedia = MEDIA.test(path) && (content?.length ?? 0) <= MAX_BYTES
  return isMedia ? [] : [{ name: 'opaque', what: '' }]
}
