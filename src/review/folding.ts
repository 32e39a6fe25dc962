import type { Change } from '../core/api.js'
import { attentionOf } from './groups.js'

/** Why a file is first shown as one line: nobody reads it line by line. */
export type FoldReason = 'lockfile' | 'generated' | 'refactoring' | 'formatting'

/** Written by package managers. */
const LOCKFILES = new Set([
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'bun.lockb',
  'deno.lock',
  'Cargo.lock',
  'poetry.lock',
  'uv.lock',
  'pdm.lock',
  'Pipfile.lock',
  'Gemfile.lock',
  'composer.lock',
  'go.sum',
  'flake.lock',
  'mix.lock',
  'gradle.lockfile',
  'packages.lock.json',
  'Podfile.lock',
  'Package.resolved',
  'pubspec.lock',
])

/**
 * Names that tools give to their output. A file's own claim does not count, because an agent writes it. The directories `dist` and
 * `build` do not count either: they also contain files that people write.
 */
const GENERATED: readonly RegExp[] = [
  /\.min\.(js|mjs|cjs|css)$/,
  /\.(js|mjs|cjs|css|d\.ts)\.map$/,
  /\.pb\.(go|cc|h|ts|js)$/,
  /_pb2(_grpc)?\.pyi?$/,
  /_pb\.(js|ts|d\.ts)$/,
  /\.g\.(dart|cs)$/,
  /\.generated\.[a-z]+$/,
  /(^|\/)__generated__\//,
]

/** Changes that are never folded, whatever the name of the file. */
const OPEN_FLAGS = [
  'executable',
  'confusable',
  'set-id',
  'symlink',
  'hard-link',
  'type-changed',
  'highlight',
  'merged',
  'edited',
]

/**
 * Why a change can be folded. Never one that needs attention, whose hunks have different verdicts, or with a fact that asks for a look.
 * With facts, a file counts as generated if it was generated before the change, too.
 */
export function foldReason(change: Change): FoldReason | undefined {
  const { path, kind, flags, mutation, hunks, state, risk } = change
  if (kind !== 'create' && kind !== 'modify') return undefined
  if (hunks.length === 0 || attentionOf(change) !== undefined) return undefined
  if (hunks.some((hunk) => hunk.state !== state)) return undefined
  if (flags.some((flag) => OPEN_FLAGS.includes(flag))) return undefined
  if (risk?.level === 'stop' || risk?.level === 'look') return undefined
  if (LOCKFILES.has(path.slice(path.lastIndexOf('/') + 1))) return 'lockfile'
  if (GENERATED.some((pattern) => pattern.test(path))) return 'generated'
  if (risk?.facts.some(({ name }) => name === 'generated')) return 'generated'
  if (mutation?.class !== 'AST_REFACTOR') return undefined
  return mutation.rule === 'layout' ? 'formatting' : 'refactoring'
}

const NAMES: Readonly<Record<FoldReason, readonly [one: string, many: string]>> = {
  lockfile: ['lockfile', 'lockfiles'],
  generated: ['generated file', 'generated files'],
  refactoring: ['proven refactoring', 'proven refactorings'],
  formatting: [
    'file with only its formatting or comments changed',
    'files with only their formatting or comments changed',
  ],
}

/** Counts folded files: `1 lockfile, 2 generated files`. */
export function describeFolded(changes: readonly Change[]): string {
  const reasons = changes.flatMap((change) => foldReason(change) ?? [])
  return (['lockfile', 'generated', 'refactoring', 'formatting'] as const)
    .flatMap((reason) => {
      const count = reasons.filter((each) => each === reason).length
      return count === 0 ? [] : [`${count} ${NAMES[reason][count === 1 ? 0 : 1]}`]
    })
    .join(', ')
}

/** The line that replaces the hunks of a folded file. */
export function foldTitle(reason: FoldReason): string {
  if (reason === 'formatting') return 'only formatting or comments'
  return reason === 'refactoring' ? 'a proven refactoring' : reason
}
