import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { createRooTools, type RooToolResult } from '../../../src/agents/roo/index.js'
import { EscrowError, type Feedback, type Session, type ToolCall } from '../../../src/index.js'

/** A session that has only an fs, by default of a temporary directory on the disk. It records its calls. */
export interface FakeSession {
  readonly session: Session
  readonly calls: ToolCall[]
  readonly feedback: Feedback[]
  /** The next tool call throws this, like a refusal. */
  refusal: unknown
}

/** Gives each test a new working directory, so that relative paths of `node:fs` resolve there. */
export function inTemporaryDirectory(): { readonly root: string } {
  const home = process.cwd()
  const place = { root: '' }
  beforeEach(() => {
    place.root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'escrowfs-roo-')))
    process.chdir(place.root)
  })
  afterEach(() => {
    process.chdir(home)
    fs.rmSync(place.root, { recursive: true, force: true })
  })
  return place
}

export function fakeSession(facade: typeof fs = fs): FakeSession {
  const calls: ToolCall[] = []
  const feedback: Feedback[] = []
  const absent = async (): Promise<never> => {
    throw new Error('not part of the fake')
  }
  const session: Session = {
    id: 'fake',
    fs: facade,
    intent: undefined,
    agent: undefined,
    attribute: () => undefined,
    gate: { tools: 'destructive', breaker: 3, modal: 'ask', requireMutationClass: false },
    intents: async () => [],
    async selectIntent(id) {
      if (id === 'INT-404')
        throw new EscrowError('unknown_intent', 'There is no intent INT-404.', { hint: 'Use INT-001.' })
      return { intent: undefined, xml: id === null ? 'No active intent.' : `Active intent set to ${id}.` }
    },
    async toolCall(call, run) {
      calls.push(call)
      const { refusal } = fake
      fake.refusal = undefined
      if (refusal !== undefined) throw refusal
      return run()
    },
    feedback: async () => feedback.splice(0),
    requestScope: absent,
    recordLesson: absent,
    changes: absent,
    revert: absent,
    snapshot: absent,
    snapshots: absent,
    readSnapshot: absent,
    dropSnapshot: absent,
    travel: absent,
    exec: absent,
    start: absent,
    run: absent,
    commands: async () => [],
    check: absent,
    explain: absent,
    flush: async () => undefined,
    close: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  }
  const fake: FakeSession = { session, calls, feedback, refusal: undefined }
  return fake
}

/** Runs one tool on a fresh fake session. */
export function run(name: string, args: Record<string, unknown>): Promise<RooToolResult> {
  return createRooTools(fakeSession().session).execute({ id: 'call_1', name, arguments: args })
}

export function put(path: string, content: string | Uint8Array): void {
  fs.mkdirSync(dirname(path), { recursive: true })
  fs.writeFileSync(path, content)
}

export function get(path: string): string {
  return fs.readFileSync(path, 'utf8')
}
