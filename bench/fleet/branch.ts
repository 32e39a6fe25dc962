import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { git, initEmptyRepository } from '../../test/support/git.js'
import { contentOf, makeFiles, namesOf } from '../places.js'

/** The branch's files, some in each directory, of some kilobytes. */
const [FILES, PER_DIR, BYTES] = [400, 20, 3_000]
const INTENT = 'INT-001'
/** Red: a file with a broken line, and two files that must not be in one tree. */
const IS_GREEN = '! grep -rqs BROKEN src && ! { test -e src/left.ts && test -e src/right.ts; }'

/** A bare git repository that landings are pushed to. Its branch has an intent with a check. */
export class Branch {
  readonly name = 'main'
  readonly intent = INTENT
  readonly url: string
  readonly #clone: string

  /**
   * @param path a directory for the repository and for a person's clone of it
   * @param seconds the duration of the check
   */
  constructor(path: string, seconds: number) {
    this.url = `${path}/remote.git`
    this.#clone = `${path}/clone`
    mkdirSync(this.#clone, { recursive: true })
    git(path, 'init', '-q', '--bare', '-b', this.name, this.url)
    // The reflog has every tip of the branch.
    git(this.url, 'config', 'core.logAllRefUpdates', 'true')
    initEmptyRepository(this.#clone)
    git(this.#clone, 'remote', 'add', 'origin', this.url)
    makeFiles(`${this.#clone}/src`, FILES, BYTES, PER_DIR)
    mkdirSync(`${this.#clone}/.orchestration`)
    writeFileSync(`${this.#clone}/.orchestration/active_intents.yaml`, intents(`sleep ${seconds}; ${IS_GREEN}`))
    git(this.#clone, 'add', '-A', '-f')
    git(this.#clone, 'commit', '-q', '-m', 'The code')
    git(this.#clone, 'push', '-q', 'origin', `HEAD:${this.name}`)
  }

  /** The path of one of the branch's files. */
  path(n: number): string {
    return namesOf('src', FILES, PER_DIR)[n] ?? ''
  }

  /** The contents of each of the branch's files. */
  get content(): Buffer {
    return contentOf(BYTES)
  }

  /** Every tip of the branch after the first, in order. */
  tips(): string[] {
    const log = git(this.url, 'reflog', 'show', '--format=%H', `refs/heads/${this.name}`)
    return log.trim().split('\n').reverse().slice(1)
  }

  /** The commits of the branch after the first, in order. */
  commits(): string[] {
    const log = git(this.url, 'log', '--first-parent', '--reverse', '--format=%H', this.name)
    return log.trim().split('\n').slice(1)
  }

  /** Checks commits out in a plain clone, and returns those whose check fails. */
  red(commits: readonly string[]): string[] {
    git(this.#clone, 'fetch', '-q', 'origin')
    return commits.filter((commit) => {
      git(this.#clone, 'checkout', '-q', '--detach', commit)
      return spawnSync('sh', ['-c', IS_GREEN], { cwd: this.#clone }).status !== 0
    })
  }
}

function intents(run: string): string {
  return `active_intents:
  - id: ${INTENT}
    name: Measure
    status: IN_PROGRESS
    owned_scope: ["src/**"]
    acceptance_criteria:
      - run: ${JSON.stringify(run)}
`
}
