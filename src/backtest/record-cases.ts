import { stringify } from 'yaml'
import { defined } from '../core/defined.js'
import type { ReplayRules } from '../judge/index.js'
import { withoutSecrets } from '../risk/index.js'
import { CASE_ROOT, EXPECTATIONS, type PolicyCase, reasonOf, testCase } from './cases.js'
import { Replay, type ReplayedCall } from './replay.js'

/** Most cases that are recorded: the first of each kind of call. */
const MAX_CASES = 200
const PER_KIND = 3

/** Records cases from replayed calls: a few of each tool, outcome, rule and set of classes. */
export class CaseRecorder {
  readonly #kinds = new Map<string, number>()
  readonly #cases: PolicyCase[] = []
  readonly #seen = new Set<string>()
  /** The first directory of each session: its workspace. */
  readonly #roots = new Map<string, string>()

  add(replayed: ReplayedCall): void {
    const { outcome, rule = '', classified, recorded } = replayed
    const session = `${recorded.host} ${recorded.session}`
    const root = this.#roots.get(session) ?? recorded.cwd ?? ''
    this.#roots.set(session, root)
    const kind = [recorded.host, recorded.tool, outcome, rule, ...(classified?.classes ?? [])].join(' ')
    const count = this.#kinds.get(kind) ?? 0
    if (count >= PER_KIND || this.#cases.length >= MAX_CASES) return
    const recordedCase = caseOf(replayed, root)
    const key = JSON.stringify(recordedCase)
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    this.#kinds.set(kind, count + 1)
    this.#cases.push(recordedCase)
  }

  /**
   * The text of a file of the recorded cases. Each is decided again, because its paths and secrets were replaced.
   * @throws EscrowError `policy_invalid` for rules that cannot be read
   */
  async file(rules: ReplayRules): Promise<string> {
    const replay = new Replay(rules)
    const cases: PolicyCase[] = []
    for (const [at, each] of this.#cases.entries()) {
      const { actual } = await testCase(replay, 'recorded', at, each)
      const { client, tool, input, cwd } = each
      cases.push({ client, tool, input, ...defined({ cwd }), ...actual })
    }
    return stringify({ cases }, { lineWidth: 0 })
  }
}

/** Arguments that say what a call does; the contents of files are left out. */
const KEPT = new Set([
  'file_path',
  'notebook_path',
  'absolute_path',
  'dir_path',
  'filePath',
  'path',
  'paths',
  'files',
  'command',
  'commands',
])
const PATCHES = new Set(['input', 'patch', 'patchText'])
/** Lines of a patch that name its files. */
const PATCH_LINE = /^\*\*\* (?:Begin Patch|End Patch|(?:Add|Update|Delete) File: .*|Move to: .*)$/

function caseOf(replayed: ReplayedCall, root: string): PolicyCase {
  const { recorded, outcome } = replayed
  const input = Object.entries(recorded.input).flatMap(([name, value]) => {
    if (PATCHES.has(name) && typeof value === 'string') return [[name, plain(patchOf(value), root)] as const]
    return KEPT.has(name) ? [[name, plainValue(value, root)] as const] : []
  })
  const below = root !== '' && recorded.cwd?.startsWith(`${root}/`) ? recorded.cwd.slice(root.length + 1) : undefined
  const common = { client: recorded.host, tool: recorded.tool, input: Object.fromEntries(input) }
  return { ...common, ...defined({ cwd: below }), expect: EXPECTATIONS[outcome], ...reasonOf(replayed) }
}

function patchOf(text: string): string {
  return text
    .split('\n')
    .filter((line) => PATCH_LINE.test(line))
    .join('\n')
}

function plainValue(value: unknown, root: string): unknown {
  if (Array.isArray(value)) return value.map((each) => plainValue(each, root))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plainValue(each, root)]))
  return typeof value === 'string' ? plain(value, root) : value
}

const HOME = /(?:\/(?:home|Users)\/[^/\s'"]+|\/root)(?=\/|$)/g

/** Without the values of secrets, the workspace's place, and the name of a home directory. */
function plain(text: string, root: string): string {
  // A directory beside the workspace may begin with its name.
  const isBeside = (end: number) => /[\w.-]/.test(text.charAt(end))
  const moved =
    root.length < 2
      ? text
      : text.replaceAll(root, (found, at: number) => (isBeside(at + found.length) ? found : CASE_ROOT))
  return withoutSecrets(moved.replace(HOME, '~'))
}
