import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.js'
import { run } from '../../src/cli/run.js'
import { allBlocks, allDocuments } from './all-blocks.js'
import { project } from './reader.js'

/** Kinds of block that are not typed, with the test that covers them. */
const TRIED: readonly (readonly [document: RegExp, language: string, test: string])[] = [
  [/./, 'mermaid', 'test/docs/diagrams.test.ts'],
  [/^docs\/reference\//, 'ts', 'test/docs/generated.test.ts'],
  [/^docs\/api\//, 'ts', 'test/package.test.ts'],
  [/^docs\/serve\.md$/, 'console', 'test/docs/serve.test.ts'],
  [/^docs\/serve\.md$/, 'sh', 'test/docs/serve.test.ts'],
  [/^docs\/review\.md$/, 'sh', 'test/cli/review/terminal.test.ts'],
  [/^examples\/(?:agent-loop|ai-sdk|langchain)\//, 'sh', 'test/examples/embedding.test.ts'],
  [/^docs\/cli\.md$/, 'sh', 'test/docs/cli.test.ts'],
  [/^docs\/trace-schema\.md$/, 'jsonl', 'test/docs/trace-schema.test.ts'],
  [/^docs\/formats\.md$/, 'yaml', 'test/docs/generated.test.ts'],
  [/^docs\/formats\.md$/, 'text', 'test/docs/generated.test.ts'],
  [/^docs\/policy\.md$/, 'yaml', 'test/docs/policy.test.ts'],
  [/^docs\/acceptance\.md$/, 'yaml', 'test/docs/acceptance.test.ts'],
  [/^docs\/release\.md$/, 'yaml', 'test/docs/release.test.ts'],
]

/** Blocks that no test runs, by their first words, with the reason. */
const NOT_RUN: readonly (readonly [document: string, begin: string, why: string])[] = [
  ['README.md', 'npm i -D escrowfs', 'wants the registry; test/package.test.ts installs what is packed'],
  ['README.md', 'npx escrowfs claude', 'starts a client; test/clients drives it on the real one'],
  [
    'README.md',
    'npm ci && npm run demo',
    'installs what it runs in; .ci/run does it, and the demo has tests of its own',
  ],
  ['docs/attestations.md', 'escrow attest', 'needs a key; test/attest makes them with ssh-keygen and openssl'],
  ['docs/attestations.md', 'escrow verify', 'needs an attestation; test/attest checks many'],
  ['docs/attestations.md', 'escrow keys', 'writes a key of this user; test/transparency publishes with one'],
  ['docs/attestations.md', 'escrow ledger prove', 'needs the key of a log; test/transparency proves'],
  ['docs/attestations.md', 'escrow ledger witness', 'needs the key of a log; test/transparency witnesses'],
  ['docs/ci.md', 'escrow ci', 'wants a pull request; its tests make many, and docs/cookbook.md shows one'],
  ['docs/hosts/claude.md', 'escrow claude', 'starts a client; test/clients drives it on the real one'],
  ['docs/hosts/claude.md', 'escrow run', 'starts a client that is not installed here'],
  ['docs/hosts/cline.md', 'escrow cline', 'starts a client; test/clients drives it on the real one'],
  ['docs/hosts/cline.md', 'escrow run', 'starts a client that is not installed here'],
  ['docs/hosts/codex.md', 'escrow codex', 'starts a client; test/clients drives it on the real one'],
  ['docs/hosts/codex.md', 'escrow run', 'starts a client that is not installed here'],
  ['docs/hosts/gemini.md', 'escrow gemini', 'starts a client; test/clients drives it on the real one'],
  ['docs/hosts/gemini.md', 'escrow run', 'starts a client that is not installed here'],
  ['docs/hosts/opencode.md', 'escrow opencode', 'starts a client; test/clients drives it on the real one'],
  ['docs/hosts/opencode.md', 'escrow run', 'starts a client that is not installed here'],
  ['docs/hub-operations.md', 'npm install @opentelemetry', 'wants the registry; test/hub-server/telemetry.test.ts'],
  ['docs/hub.md', 'npm install @electric', 'wants the registry; test/cli/hub.test.ts runs the commands after it'],
  ['docs/hub.md', 'cd shop-one', 'runs until Ctrl-C; test/cli/hub.test.ts connects two workspaces'],
  ['docs/hub.md', 'cd shop-two', 'runs until Ctrl-C; test/cli/hub.test.ts connects two workspaces'],
  ['docs/hub.md', 'ESCROW_HUB_TOKEN=', 'test/cli/review/on-hub.test.ts does the same in a terminal'],
  ['docs/hub.md', 'npm install openid-client', 'wants a provider; test/hub-server/sign-in-routes.test.ts starts one'],
  ['docs/hub.md', 'escrow hub rules', 'wants a database; test/cli/hub.test.ts runs both commands'],
  ['docs/hub.md', 'npm install postgres', 'wants the registry and a server; npm run test:postgres starts one'],
  [
    'docs/hub.md',
    'escrow hub repository set',
    'wants a git server and runs until Ctrl-C; test/cli/hub-worker.test.ts runs both',
  ],
  ['docs/hub.md', 'escrow hub ledger', 'wants a hub with a ledger; test/cli/hub-ledger.test.ts runs the commands'],
  ['docs/ledger.md', 'escrow init --git', 'asks a person; test/cli/git-hooks.test.ts runs it with --yes'],
  ['docs/ledger.md', 'git fetch', 'needs another clone; test/git/import-notes.test.ts does it with two'],
  ['examples/vscode-extension/README.md', 'cd examples', 'installs the packager; its tests build the same bundle'],
]

/** Documents that a test types from top to bottom, except their `sh` blocks. */
function typedDocuments(): string[] {
  const tests = fs.readdirSync(`${project}test`, { recursive: true, encoding: 'utf8' })
  const typing = tests
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => fs.readFileSync(`${project}test/${name}`, 'utf8'))
    .filter((text) => /\btypeAll\(/.test(text))
  return allDocuments().filter((document) => typing.some((text) => text.includes(`{project}${document}\``)))
}

describe('the blocks of all documents', () => {
  it('are typed, tested separately, or excused by name', () => {
    const documents = typedDocuments()
    expect(documents).toContain('docs/cookbook.md')
    const left = allBlocks().filter(({ document, language }) => {
      const isTyped = documents.includes(document) && language !== 'sh'
      return !isTyped && !TRIED.some(([which, kind]) => which.test(document) && kind === language)
    })
    expect(left.map(({ document, text }) => `${document}: ${text.split('\n')[0]}`)).toEqual(
      NOT_RUN.map(([document, begin]) => expect.stringContaining(`${document}: ${begin}`)),
    )
  })

  it('are tested by existing tests', () => {
    for (const [, , test] of TRIED) expect([test, fs.existsSync(`${project}${test}`)]).toEqual([test, true])
  })
})

/** The commands in a text, such as `escrow intents scope ID --add GLOB`. */
function commandsIn(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '')
  return [...prose.matchAll(/`escrow ([a-z][^`]*)`/g)].map((match) => match[1] ?? '')
}

const help = new Map<string, Promise<string>>()
function helpOf(command: readonly string[]): Promise<string> {
  const key = command.join(' ')
  const known = help.get(key)
  if (known) return known
  let text = ''
  const out = (more: string) => {
    text += more
  }
  const io = { out, err: out, cwd: project, terminal: false, color: false, version: '0' }
  const printed = run([...command, '--help'], io, () => Promise.reject(new Error('--help needs no library')))
  help.set(
    key,
    printed.then(() => text),
  )
  return helpOf(command)
}

/** Commands whose subcommands have options. */
const GROUPS: ReadonlySet<string> = new Set(['hub', 'intents'])

describe('the commands that documents name', () => {
  const commands = allDocuments().flatMap((document) =>
    commandsIn(fs.readFileSync(`${project}${document}`, 'utf8')).map((command) => [document, command] as const),
  )

  it('exist, with the named options', async () => {
    const names = COMMANDS.map(({ name }) => name)
    const wrong: string[] = []
    for (const [document, command] of commands) {
      // Another program's command line follows `--` or `|`.
      const [own = ''] = command.split(/ -- | \| | > | \\\| /)
      const [name = '', ...rest] = own.split(/\s+/)
      const end = rest.findIndex((word) => !/^[a-z]+$/.test(word))
      const below = GROUPS.has(name) ? rest.slice(0, end < 0 ? rest.length : end) : []
      const text = names.includes(name) ? await helpOf([name, ...below]) : ''
      const options = rest.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0] ?? '')
      if (text === '' || options.some((option) => !text.includes(option))) wrong.push(`${document}: ${command}`)
    }
    expect(commands.length).toBeGreaterThan(50)
    expect(wrong).toEqual([])
  })
})
