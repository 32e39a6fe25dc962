import { HOSTS, profileOf } from '../hosts/index.js'

/**
 * Paths that an agent must not write even within its scope, because they decide what runs on the person's machine or what the agent
 * may do. They apply at any depth, whether they exist or not, and in every spelling that some file system takes for the same name.
 */

export interface Protection {
  /**
   * `never`: no scope and no approval opens it. `literal`: a scope opens it by naming it without a wildcard. `highlight`: writable, and
   * listed first in a review.
   */
  readonly level: 'never' | 'literal' | 'highlight'
  readonly why: string
  /** The protected segments, as spelt in the path. */
  readonly segments: readonly string[]
}

type Level = Protection['level']
type Row = readonly [level: Level, names: readonly string[], why: string]

/** Names are case-folded. A `*` at either end matches any characters; a `/` joins two segments. */
const ROWS: readonly Row[] = [
  ['never', ['.git'], 'git keeps its own data and hooks there'],
  ['never', ['.orchestration'], 'intents, policy and ledger are kept there'],
  ['never', ['node_modules/escrowfs', 'node_modules/.bin/escrow*'], 'what holds agents to the rules runs from there'],
  ['never', ['.intentignore'], 'it switches intents off and paths free'],
  ['literal', ['.gitmodules', '.gitconfig'], 'git runs what it says'],
  ['literal', ['.vscode', '.idea', '*.code-workspace'], 'an editor runs what it says'],
  ['literal', HOSTS.flatMap((host) => profileOf(host).protectedNames.configures), 'it configures an agent'],
  ['literal', HOSTS.flatMap((host) => profileOf(host).protectedNames.instructs), 'it instructs an agent'],
  // Agents without a host profile.
  ['literal', ['.cursor', '.zed', '.windsurf', '.continue', '.kilocode'], 'it configures an agent'],
  [
    'literal',
    ['.qwen', '.kiro', '.amazonq', '.augment', '.trae', '.aider.conf.yml', 'crush.json', '.crush.json'],
    'it configures an agent',
  ],
  ['literal', ['agents.md', 'qwen.md', 'warp.md', '.goosehints', '.windsurfrules', '.junie'], 'it instructs an agent'],
  ['literal', ['.cursorrules', '.github/copilot-instructions.md'], 'it instructs an agent'],
  [
    'literal',
    ['.github/instructions', '.github/prompts', '.github/chatmodes', '.github/agents'],
    'it instructs an agent',
  ],
  ['literal', ['.husky', '.devcontainer', '.github/workflows', '.envrc', '.npmrc'], 'a tool runs what it says'],
  ['literal', ['.bashrc', '.bash_profile', '.profile', '.zshrc', '.zprofile'], 'a shell runs what it says'],
  [
    'literal',
    ['.zshenv', '.zlogin', '.zlogout', '.bash_login', '.bash_logout', '.bash_aliases'],
    'a shell runs what it says',
  ],
  [
    'literal',
    ['.kshrc', '.cshrc', '.tcshrc', '.xprofile', '.xinitrc', '.xsession', '.inputrc'],
    'a shell runs what it says',
  ],
  [
    'literal',
    ['.pre-commit-config.yaml', '.pre-commit-config.yml', 'lefthook.y*', '.lefthook*'],
    'a hook runs what it says',
  ],
  ['literal', ['.lintstagedrc*', '.hg', '.jj'], 'a hook runs what it says'],
  [
    'literal',
    ['.cargo/config', '.cargo/config.toml', '.yarnrc*', '.yarn/releases', '.yarn/plugins'],
    'a tool runs what it says',
  ],
  [
    'literal',
    ['.pnpmfile.*', 'bunfig.toml', '.mise.toml', 'mise.toml', '.tool-versions', '.bazelrc'],
    'a tool runs what it says',
  ],
  [
    'literal',
    ['.gitlab-ci.yml', 'jenkinsfile*', '.circleci', '.travis.yml', '.drone.yml', '.buildkite'],
    'a server runs what it says',
  ],
  [
    'literal',
    ['azure-pipelines.y*', 'bitbucket-pipelines.yml', '.woodpecker*', '.cirrus.yml'],
    'a server runs what it says',
  ],
  [
    'literal',
    ['.github/actions', '.gitea/workflows', '.forgejo/workflows', '.gitpod.yml', '.replit'],
    'a server runs what it says',
  ],
  [
    'literal',
    ['.vimrc', '.nvimrc', '.nvim.lua', '.exrc', '.lvimrc', '.dir-locals.el', '.emacs', '.emacs.d'],
    'an editor runs what it says',
  ],
  [
    'literal',
    ['.gdbinit', '.lldbinit', '.tmux.conf', '.screenrc', '.curlrc', '.wgetrc'],
    'a program reads its options there',
  ],
  ['literal', ['.ripgreprc'], 'a search tool reads its options there'],
  ['highlight', ['package.json'], 'its scripts are run'],
  [
    'highlight',
    ['package-lock.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'bun.lockb'],
    'it says what is installed',
  ],
  ['highlight', ['cargo.lock', 'poetry.lock', 'uv.lock', 'go.sum'], 'it says what is installed'],
  ['highlight', ['gemfile.lock', 'composer.lock', 'deno.lock', 'pdm.lock', 'flake.lock'], 'it says what is installed'],
  ['highlight', ['makefile', 'gnumakefile', 'makefile.*', '*.mk', '*.config.*'], 'a build runs what it says'],
  [
    'highlight',
    ['justfile', '.justfile', 'rakefile', 'gemfile', 'gruntfile.*', 'gulpfile.*', 'taskfile.y*'],
    'a build runs what it says',
  ],
  [
    'highlight',
    ['cmakelists.txt', 'meson.build', 'build.rs', 'build.zig', 'build.bazel', 'sconstruct'],
    'a build runs what it says',
  ],
  [
    'highlight',
    ['build.gradle*', 'settings.gradle*', 'gradlew*', 'mvnw*', '.mvn', 'pom.xml', 'build.sbt'],
    'a build runs what it says',
  ],
  [
    'highlight',
    ['setup.py', 'setup.cfg', 'pyproject.toml', 'tox.ini', 'noxfile.py', 'conftest.py'],
    'a build runs what it says',
  ],
  ['highlight', ['sitecustomize.py', 'usercustomize.py'], 'Python runs it at each start'],
  [
    'highlight',
    ['cargo.toml', 'composer.json', 'deno.json', 'deno.jsonc', 'mix.exs', 'package.swift'],
    'a build runs what it says',
  ],
  ['highlight', ['flake.nix', 'shell.nix', 'default.nix', 'vagrantfile', 'procfile'], 'a tool runs what it says'],
  [
    'highlight',
    ['dockerfile*', 'containerfile', 'docker-compose*', 'compose.yaml', 'compose.yml'],
    'a tool runs what it says',
  ],
  ['highlight', ['.eslintrc*', '.prettierrc*', '.babelrc*', '.mocharc*', '.stylelintrc*'], 'a tool runs what it says'],
  ['highlight', ['.gitattributes'], 'it decides how git shows a diff'],
]

/** The settings that install our hooks: a command that emptied them would disable the checks. */
export const HOST_SETTINGS: readonly string[] = [
  ...new Set([...HOSTS.flatMap((host) => profileOf(host).closedToCommands), '.cursor']),
]
/** The package that a client's hooks run from, if the workspace has installed it. */
export const HOOK_PACKAGES = ['node_modules/escrowfs']

interface Rule {
  readonly level: Level
  readonly why: string
  /** One test per consecutive segment. */
  readonly tests: readonly ((segment: string) => boolean)[]
}

const STRENGTH: Record<Level, number> = { never: 3, literal: 2, highlight: 1 }

const byName = new Map<string, Rule>()
/** Rules by the stem of the NTFS short name (8.3) that a protected name may have. */
const byStem = new Map<string, Rule>()
const patterns: Rule[] = []
for (const [level, names, why] of ROWS) {
  for (const name of names) {
    const rule = { level, why, tests: name.split('/').map(nameTest) }
    if (/[*/]/.test(name)) patterns.push(rule)
    else byName.set(name, rule)
    const stem = shortNameStem(name)
    if (stem !== undefined && level !== 'highlight' && !byStem.has(stem)) byStem.set(stem, rule)
  }
}

/** The stem of a name's short form, which a leading dot or a long name gets: `.vscode` is `vscode~1`, `.git` is `git~1`. */
function shortNameStem(name: string): string | undefined {
  if (/[*/]/.test(name)) return undefined
  const [stem = ''] = name.replace(/^\./, '').split('.')
  return name.startsWith('.') || stem.length > 8 ? stem.slice(0, 6) : undefined
}

function stemOf(segment: string): string | undefined {
  return segment.includes('~') ? /^([^~.]+)~\d+(?:\.[^.]*)?$/.exec(segment)?.[1] : undefined
}

function nameTest(name: string): (segment: string) => boolean {
  const [start = '', middle, end] = name.split('*')
  const stem = shortNameStem(name)
  if (middle === undefined) return (segment) => segment === name || (stem !== undefined && stemOf(segment) === stem)
  if (end !== undefined) return (segment) => segment.includes(middle, 1)
  return (segment) => segment.startsWith(start) && segment.endsWith(middle) && segment.length >= name.length - 1
}

/** A pre-filter that matches every path with a protected name, folding aside. Most paths fail it. */
const CANDIDATE = new RegExp(
  ROWS.flatMap(([, names]) => names.map((name) => name.replaceAll('*', '').replaceAll('.', '\\.'))).join('|'),
)
/** Characters other than capital letters that folding changes, and the `~` of short names. */
const MAY_FOLD = /[^\0-\x7f]|[:~\\]|[. ](?:\/|$)/

/** The strongest protection of a path (relative to the root); undefined for an ordinary path. */
export function protection(path: string): Protection | undefined {
  if (path === '') return { level: 'never', why: 'it is the workspace itself', segments: [] }
  if (!MAY_FOLD.test(path) && !CANDIDATE.test(path.toLowerCase())) return undefined
  // A backslash is a separator on Windows and a character elsewhere: treat it as a separator.
  const segments = (path.includes('\\') ? path.replaceAll('\\', '/') : path).split('/')
  const folded = segments.map(foldSegment)
  let found: Protection | undefined
  for (let at = 0; at < folded.length; at++) {
    const rule = strongestAt(folded, at)
    if (!rule || (found && STRENGTH[found.level] >= STRENGTH[rule.level])) continue
    found = { level: rule.level, why: rule.why, segments: segments.slice(at, at + rule.tests.length) }
  }
  return found
}

/** Whether a name can be part of a protected path. False for nearly all, which keeps listings fast. */
export function mayBeProtected(name: string): boolean {
  if (name.includes('\\')) return true
  const folded = foldSegment(name)
  return (
    byName.has(folded) ||
    byStem.has(stemOf(folded) ?? '') ||
    patterns.some(({ tests }) => tests.some((test) => test(folded)))
  )
}

function strongestAt(folded: readonly string[], at: number): Rule | undefined {
  const segment = folded[at] ?? ''
  let strongest = byName.get(segment) ?? byStem.get(stemOf(segment) ?? '')
  for (const rule of patterns) {
    if (strongest && STRENGTH[strongest.level] >= STRENGTH[rule.level]) continue
    if (rule.tests.every((test, i) => test(folded[at + i] ?? ''))) strongest = rule
  }
  return strongest
}

/**
 * Folds a segment to the name that some file system would resolve it to: HFS+ ignores invisible characters, APFS and NTFS ignore case
 * and normalization, and NTFS drops trailing dots and blanks and takes what follows a `:` for the name of a stream.
 */
export function foldSegment(segment: string): string {
  if (/^[\w.-]*[\w-]$/.test(segment)) return segment.toLowerCase()
  const plain = segment.replace(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKC')
  // Upper case first: only that maps ß to ss and ı to i.
  const caseless = plain.toUpperCase().toLowerCase().normalize('NFKC')
  const stream = caseless.indexOf(':')
  return (stream < 0 ? caseless : caseless.slice(0, stream)).replace(/[. ]+$/, '')
}
