import { mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { addToken, openDatabase } from '../../src/hub/index.js'
import { openWorkspace } from '../../src/index.js'
import { addRemote } from '../../src/remote/index.js'
import { freePort } from '../../test/support/free-port.js'
import type { Postgres } from '../../test/support/postgres.js'
import { declareIntent } from '../workspace.js'
import { Network } from './network.js'
import { Supervised } from './process.js'
import { Random } from './random.js'
import { Reviewer } from './reviewer.js'

export interface FleetSize {
  readonly hosts: number
  /** Agents of each host. */
  readonly agents: number
  /** Files that each agent writes, one after the other. */
  readonly rounds: number
  readonly faults: number
  readonly seed: number
  /** Milliseconds after the last fault until the state of an unfinished fleet is reported. */
  readonly patience: number
}

export interface Host {
  readonly name: string
  readonly root: string
  readonly process: Supervised
}

export const SCOPE = { tenant: 'fleet', workspace: 'shop' } as const
const HUBS = 2
const REVIEWERS = 2

/** Hosts with agents, hubs over one database, reviewers, and the network between them. */
export class Fleet {
  readonly hosts: Host[] = []
  readonly hubs: Supervised[] = []
  readonly reviewers: Reviewer[] = []
  readonly #idle = new Set<string>()
  readonly #end = new AbortController()
  #reviews: Promise<unknown> = Promise.resolve()

  private constructor(
    readonly postgres: Postgres,
    readonly network: Network,
    readonly url: string,
    readonly admin: string,
    readonly random: Random,
    private readonly sql: Sql,
  ) {}

  /** @param path a directory for the hosts' workspaces */
  static async start(postgres: Postgres, path: string, size: FleetSize): Promise<Fleet> {
    const ports = await Promise.all(Array.from({ length: HUBS }, () => freePort()))
    const random = new Random(size.seed)
    const hubUrls = ports.map((port) => `http://127.0.0.1:${port}`)
    const { network, url } = await Network.start(hubUrls, random)
    const { tokens, admin, reviewers } = await makeTokens(postgres.url, size.hosts)
    const { default: connect } = await import('postgres')
    const sql = connect(postgres.superUrl, { max: 1, onnotice: () => undefined })
    const fleet = new Fleet(postgres, network, url, admin, random, sql)
    await fleet.#startHubs(ports)
    for (const [n, token] of tokens.entries()) await fleet.#startHost(`host-${n}`, `${path}/host-${n}`, token, size)
    for (const token of reviewers) fleet.reviewers.push(new Reviewer(url, token, new Random(random.below(2 ** 31))))
    fleet.#reviews = Promise.all(fleet.reviewers.map((reviewer) => reviewer.work(fleet.#end.signal)))
    return fleet
  }

  get isDone(): boolean {
    return this.#idle.size === this.hosts.length
  }

  /** The staged changes of each host, for a run that does not end. */
  async state(): Promise<string> {
    const states: object[] = []
    for (const { name, root } of this.hosts) {
      const workspace = await openWorkspace(root)
      for (const { id } of await workspace.sessions())
        for (const { path, state, after } of (await (await workspace.review(id)).changes()).changes)
          states.push({ name, id, path, state, after })
      await workspace.close()
    }
    return JSON.stringify(states)
  }

  /** The number of times that a hub ended by itself. */
  get hubCrashes(): number {
    return this.hubs.reduce((sum, { crashes }) => sum + crashes, 0)
  }

  /** The output of its processes on stderr. */
  get errors(): string {
    return [...this.hosts.map(({ process }) => process), ...this.hubs].map(({ errors }) => errors).join('')
  }

  /** Runs a statement as the database's superuser. After a crash of the server it is tried again. */
  readonly query = async (statement: string): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.sql.unsafe(statement)
        return
      } catch (error) {
        if (attempt === 20) throw error
        await sleep(250)
      }
    }
  }

  /** Waits until all agents have all their work on disk. @returns false if that took too long */
  async finish(patience: number): Promise<boolean> {
    const limit = Date.now() + patience
    while (!this.isDone && Date.now() < limit) {
      await sleep(250)
    }
    return this.isDone
  }

  /** Stops hosts and reviewers. The hubs continue, so that their data can be read. */
  async stopWork(): Promise<void> {
    this.#end.abort()
    await this.#reviews
    await Promise.all(this.hosts.map(({ process }) => process.stop()))
  }

  async stop(): Promise<void> {
    await this.stopWork()
    await Promise.all(this.hubs.map((hub) => hub.stop()))
    this.network.close()
    await this.sql.end({ timeout: 5 })
  }

  async #startHubs(ports: readonly number[]): Promise<void> {
    const started = ports.map(
      (port) =>
        new Promise<void>((resolve) => {
          const hub = new Supervised('fleet-hub.js', [this.postgres.url, String(port)], () => resolve())
          hub.start()
          this.hubs.push(hub)
        }),
    )
    await Promise.all(started)
  }

  async #startHost(name: string, root: string, token: string, { agents, rounds }: FleetSize): Promise<void> {
    mkdirSync(`${root}/src`, { recursive: true })
    declareIntent(root)
    writeFileSync(`${root}/.orchestration/policy.yaml`, 'approval: { by: any }\n')
    await addRemote(root, this.url, token)
    const process = new Supervised('fleet-host.js', [root, String(agents), String(rounds)], (line) => {
      if (line.includes('"done"')) this.#idle.add(name)
    })
    process.start()
    this.hosts.push({ name, root, process })
  }
}

function makeTokens(url: string, hosts: number) {
  return openDatabase({ url }, async (database) => {
    const token = (name: string, role: 'host' | 'reviewer' | 'admin') =>
      addToken(database, Object.assign({ name, role }, SCOPE))
    const [tokens, reviewers]: [string[], string[]] = [[], []]
    for (let n = 0; n < hosts; n++) tokens.push(await token(`host-${n}`, 'host'))
    for (let n = 0; n < REVIEWERS; n++) reviewers.push(await token(`reviewer-${n}`, 'reviewer'))
    return { tokens, reviewers, admin: await token('admin', 'admin') }
  })
}
