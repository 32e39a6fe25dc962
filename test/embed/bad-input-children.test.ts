import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileOnce } from '../support/compiled.js'
import { tempDir } from '../support/facade.js'
import { stateOf } from '../support/state.js'
import { trust } from '../support/trust.js'

/**
 * Input that makes parsers and matchers hang, abort or read forever, each in its own workspace, in typical work of
 * a child process. Every step ends, with a named error where it fails, and the process survives. The
 * child's CPU limit ends only steps that hang or explode.
 * ESCROWFS_BAD_INPUT=apart runs each row in its own process.
 */
const CPU_SECONDS = 60

interface Row {
  readonly name: string
  /** Relative to the root; its bytes, or a function that creates the file. */
  readonly file: string
  readonly content: string | Buffer | ((path: string) => void)
  /** A step that must fail, with its error; undefined: every step must succeed. */
  readonly fails?: readonly [step: string, outcome: RegExp]
}

const ORCHESTRATION = '.orchestration'
const INTENTS = `${ORCHESTRATION}/active_intents.yaml`
const POLICY = `${ORCHESTRATION}/policy.yaml`
const PLAN = 'active_intents:\n  - id: INT-001\n    name: Work\n    owned_scope: ["src/**"]\n'
const scopeOf = (glob: string) => PLAN.replace('src/**', glob)
const aliases = ['a: &a [x,x,x,x,x,x,x,x,x]', ...'bcdefghi'].map((key, n) =>
  n === 0 ? key : `${key}: &${key} [${Array(9).fill(`*${String.fromCharCode(96 + n)}`)}]`,
)
const badFile = (name: string, content: string | Buffer, message: RegExp, file = INTENTS): Row => {
  return { name, file, content, fails: ['write', new RegExp(`^policy_invalid .*${message.source}`, message.flags)] }
}

const YAML: readonly Row[] = [
  badFile('an alias bomb', `${aliases.join('\n')}\n${PLAN}`, /line 1.*anchors/),
  badFile('a nesting bomb of brackets', `${PLAN}x: ${'['.repeat(20_000)}`, /nested deeper than 32/),
  badFile('a nesting bomb of braces', `x: ${'{a: '.repeat(5000)}`, /nested deeper/, POLICY),
  badFile('a nesting bomb of dashes', `x:\n  ${'- '.repeat(20_000)}y\n`, /nested deeper/),
  badFile('a nesting bomb of questions', `${'? '.repeat(20_000)}x\n`, /nested deeper/, POLICY),
  badFile('a list of 5 MB', `${PLAN}x:\n${'  - item\n'.repeat(600_000)}`, /larger than 256 KiB/),
  badFile('a key twice', `${PLAN}active_intents: []\n`, /line 5.*unique/i),
  badFile('two documents', `${PLAN}---\n${PLAN}`, /second document/),
  badFile('tabs', 'access:\n\tsrc: deny\n', /line 2.*tab/i, POLICY),
  badFile('__proto__', '__proto__: {access: {}}\n', /__proto__/, POLICY),
  badFile('an unknown tag', 'access: !!js/function "x"\n', /tag/i, POLICY),
  badFile('a scalar', 'just words\n', /map/),
  badFile('nothing', '', /empty/),
  badFile('bytes that are not UTF-8', Buffer.from([0x61, 0x3a, 0x20, 0x0a, 0xff, 0xfe]), /line 2.*UTF-8/, POLICY),
  badFile('NUL', 'access: "\0"\n', /control character/, POLICY),
  badFile('a glob of stars', scopeOf(`${'*a'.repeat(26)}*`), /more than 4 \*/),
  badFile('a glob of double stars', scopeOf(`${'**/'.repeat(20)}x`), /more than 4 \*\*/),
  badFile('a glob of braces', scopeOf('{a,b}'.repeat(22)), /more than 64/),
  badFile('a glob with a group', scopeOf('(a+)+b'), /parentheses/),
  badFile('a long glob', scopeOf('x'.repeat(513)), /512/),
  badFile('a path rule of stars', `access: {"${'*a'.repeat(26)}*": deny}\n`, /more than 4 \*/, POLICY),
  { name: 'a byte order mark and CRLF', file: INTENTS, content: `\ufeff${PLAN.replaceAll('\n', '\r\n')}` },
  { name: 'a pattern of stars in .intentignore', file: '.intentignore', content: `${'*a'.repeat(2000)}*b\n` },
  badFile('256 KiB of .intentignore', 'x\n'.repeat(130_000), /larger than 64 KiB/, '.intentignore'),
]

const LEDGER = `${ORCHESTRATION}/agent_trace.jsonl`
const LINES: readonly Row[] = [
  {
    name: 'a ledger that is not UTF-8',
    file: LEDGER,
    content: Buffer.concat([Buffer.from([0x7b, 0xff, 0x7d, 0x0a]), Buffer.from('{}\n')]),
    fails: ['verify', /^ledger_corrupt .*UTF-8/],
  },
  {
    name: 'a ledger line of 17 MiB',
    file: LEDGER,
    content: `${'x'.repeat(17 << 20)}\n`,
    fails: ['verify', /^ledger_corrupt .*16 MiB/],
  },
]

const linkToZeros = (path: string) => fs.symlinkSync('/dev/zero', path)
const pipe = (path: string) => execFileSync('mkfifo', [path])
const NO_FILES: readonly (readonly [file: string, fails?: Row['fails']])[] = [
  [INTENTS, ['write', /^policy_invalid .*not a plain file/]],
  [POLICY, ['write', /^policy_invalid .*not a plain file/]],
  ['.intentignore', ['write', /^policy_invalid .*not a plain file/]],
  [`${ORCHESTRATION}/templates/x.yaml`, ['templates', /^policy_invalid .*not a plain file/]],
  [LEDGER, ['select', /^ledger_unavailable .*not a plain file/]],
  ['sessions/agent/review.jsonl', ['review', /^ledger_corrupt .*not a regular file/]],
  ['sessions/agent/meta.json'],
  ['sessions/other/claim.json'],
  ['sessions/agent/stage.log', ['session', /^ledger_unavailable .*not a regular file/]],
  ['sessions/agent/owner', ['session', /^session_busy .*damaged/]],
  ['.git/HEAD'],
  ['.gitignore'],
  ['src/b.ts'],
]
const SPECIAL: readonly Row[] = NO_FILES.flatMap(([file, fails]) => {
  const more = fails ? { fails } : {}
  return [
    { name: `a link to an endless device: ${file}`, file, content: linkToZeros, ...more },
    { name: `a pipe: ${file}`, file, content: pipe, ...more },
  ]
})

const ROWS = [...YAML, ...LINES, ...SPECIAL]

interface Reported {
  readonly outcomes: readonly (readonly [step: string, outcome: string])[]
  readonly cpuMs: number
}

const home = tempDir('escrowfs-bad-')
const reports = new Map<string, Reported>()
/** Most bytes of a file that a person can accept. */
const MAX_BYTES = 256 * 1024

function workspaceOf({ file, content }: Row, n: number): string {
  const root = `${home.path}/${n}`
  fs.mkdirSync(`${root}/${ORCHESTRATION}`, { recursive: true })
  const path = file.startsWith('sessions/') ? `${stateOf(root)}/${file}` : `${root}/${file}`
  fs.mkdirSync(`${root}/src`)
  fs.mkdirSync(path.slice(0, path.lastIndexOf('/')), { recursive: true, mode: 0o700 })
  fs.writeFileSync(`${root}/${INTENTS}`, PLAN)
  fs.writeFileSync(`${root}/src/a.ts`, 'old\n')
  trust(root)
  if (file === INTENTS) fs.rmSync(path)
  if (typeof content === 'function') content(path)
  else {
    fs.writeFileSync(path, content)
    if (content.length <= MAX_BYTES) trust(root)
  }
  return root
}

beforeAll(() => {
  const roots = ROWS.map(workspaceOf)
  const size = process.env.ESCROWFS_BAD_INPUT === 'apart' ? 1 : ROWS.length
  for (let from = 0; from < roots.length; from += size) {
    const child = [`${compileOnce()}/test/children/bad-input.js`, ...roots.slice(from, from + size)]
    const limited = ['-c', `ulimit -t ${CPU_SECONDS}; exec "$0" "$@"`, process.execPath, ...child]
    const { stdout } = spawnSync('/bin/sh', limited, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
    for (const [n, line] of stdout.split('\n').slice(0, -1).entries()) {
      const row = ROWS[from + n]
      if (row) reports.set(row.name, JSON.parse(line) as Reported)
    }
  }
}, 300_000)

afterAll(() => {
  const [slowest, most] =
    [...reports].map(([name, { cpuMs }]) => [name, cpuMs] as const).sort((a, b) => b[1] - a[1])[0] ?? []
  console.log(`Of ${reports.size} days of bad input the longest took ${most} ms of CPU: ${slowest}.`)
  home.dispose()
})

describe('in a child process', () => {
  it.each(ROWS)('$name', ({ name, fails }) => {
    const { outcomes } = reports.get(name) ?? {
      outcomes: [['start', 'UNNAMED the child ended before it had said anything']],
    }
    expect(outcomes.filter(([, outcome]) => outcome.startsWith('UNNAMED'))).toEqual([])
    const byStep = new Map(outcomes.map(([step, outcome]) => [step, outcome]))
    if (fails) expect(byStep.get(fails[0]), JSON.stringify(outcomes)).toMatch(fails[1])
    else expect(outcomes.filter(([, outcome]) => outcome !== 'ok')).toEqual([])
  })
})
