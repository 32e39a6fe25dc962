import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { findProgram } from 'escrowfs'

/** What settings and attributes of a repository could hide is asked for by name: all is text, nothing is converted. */
const SHOW_ALL = [
  '--text',
  '--no-ext-diff',
  '--no-textconv',
  '--no-renames',
  '--no-color',
  '--ignore-submodules',
  '--inter-hunk-context=0',
]
/** A repository's own settings can name programs. None of them is started: no hook, monitor, pager, signer or helper of a fetch. */
const RUN_NOTHING = [
  '--no-pager',
  '--no-replace-objects',
  ...[
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'log.showSignature=false',
    'protocol.allow=never',
    'safe.bareRepository=explicit',
    'core.quotePath=false',
  ].flatMap((setting) => ['-c', setting]),
]

const SEPARATOR = '\u0001'

/**
 * A pull request as git has it: from where its branch left the base, to its head.
 * @param {{ cwd: string, base: string, head: string }} of revisions of a repository
 */
export function pullRequest({ cwd, base: onto, head: to }) {
  // One that lies in the repository came with the pull request.
  const { path: program } = findProgram('git')
  if (program === undefined) throw new Error('There is no git on PATH, outside of the repository.')
  const env = { ...process.env, GIT_NO_LAZY_FETCH: '1' }
  /** @param {string[]} args */
  const git = (...args) =>
    execFileSync(program, [...RUN_NOTHING, ...args], {
      cwd,
      env,
      maxBuffer: 1 << 30,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const commitOf = (/** @type {string} */ name) =>
    git('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`).toString().trim()
  const head = commitOf(to)
  const base = git('merge-base', commitOf(onto), head).toString().trim()

  /** @param {string} commit @param {string} path @returns {Buffer | undefined} a regular file's content */
  const file = (commit, path) => {
    const entry = git('ls-tree', '-z', '--full-tree', commit, '--', `:(literal,top)${path}`).toString()
    const [, mode = '', type, blob = ''] = /^(\d+) (\w+) ([0-9a-f]+)\t/.exec(entry) ?? []
    return type === 'blob' && mode.startsWith('100') ? git('cat-file', 'blob', blob) : undefined
  }

  /** @param {string} commit @param {string} ledger @returns {string | undefined} `<seq>:<hash>` of its newest record of ours */
  const lastHead = (commit, ledger) => {
    const text = file(commit, ledger)?.toString('latin1') ?? ''
    for (const line of text.split('\n').reverse()) {
      const seq = seqOf(line)
      if (seq !== undefined) return `${seq}:${createHash('sha256').update(line, 'latin1').digest('hex')}`
    }
    return undefined
  }

  const commits = `${base}..${head}`
  return {
    base,
    head,
    file,
    lastHead,

    /** @param {string} commit @param {string} folder */
    list: (commit, folder) => {
      const below = `:(literal,top)${folder.replace(/\/*$/, '/')}`
      const listed = git('ls-tree', '-z', '--name-only', '--full-tree', commit, '--', below).toString()
      return listed.split('\0').filter((path) => path !== '')
    },

    /** Each file it leaves changed, with the numbers of the lines that came, from 1. */
    changed: () => {
      const names = git('diff', '-z', '--name-only', '--diff-filter=d', ...SHOW_ALL, base, head, '--').toString()
      return names
        .split('\0')
        .filter((path) => path !== '')
        .map((path) => {
          const patch = git('diff', '-U0', ...SHOW_ALL, base, head, '--', `:(literal,top)${path}`)
          return { path, added: addedIn(patch.toString('latin1')) }
        })
    },

    /** The `Trace-Head:` trailers of its commits, by commit. */
    trailers: () => {
      const format = `--format=%H${SEPARATOR}%(trailers:key=Trace-Head,valueonly,separator=%x2C)`
      const listed = git('log', format, commits, '--')
        .toString()
        .split('\n')
        .filter((line) => line !== '')
      return new Map(
        listed.map((line) => {
          const [commit = '', heads = ''] = line.split(SEPARATOR)
          return [
            commit,
            heads
              .split(',')
              .map((each) => each.trim())
              .filter((each) => each !== ''),
          ]
        }),
      )
    },

    /** @param {string} ledger its commits that change the ledger, with the head each leaves */
    ledgerCommits: (ledger) => {
      const listed = git('rev-list', '--no-merges', commits, '--', `:(literal,top)${ledger}`).toString()
      return listed
        .split('\n')
        .filter((line) => line !== '')
        .map((commit) => ({ commit, head: lastHead(commit, ledger) }))
    },
  }
}

/** @param {string} workspace a folder of the repository @returns {string} what its paths begin with */
export function prefixOf(workspace) {
  const parts = workspace.split('/').filter((part) => part !== '' && part !== '.')
  return parts.map((part) => `${part}/`).join('')
}

/** @param {unknown} value @returns {any[]} */
export function lines(value) {
  return Array.isArray(value) ? value : []
}

/** @param {string} line @returns {number | undefined} */
function seqOf(line) {
  try {
    const seq = JSON.parse(line)?.metadata?.['dev.escrowfs']?.seq
    return typeof seq === 'number' ? seq : undefined
  } catch {
    return undefined
  }
}

/** The numbers of the lines that come, by the heads of a patch's hunks. */
function addedIn(/** @type {string} */ patch) {
  /** @type {number[]} */
  const found = []
  let [left, gone] = [0, 0]
  let number = 0
  for (const line of patch.split('\n')) {
    const [, old, start, count] = (left + gone === 0 && /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)) || []
    if (start !== undefined) {
      ;[gone, left, number] = [Number(old ?? 1), Number(count ?? 1), Number(start)]
    } else if (gone > 0 && line.startsWith('-')) gone--
    else if (left > 0 && line.startsWith('+')) {
      left--
      found.push(number++)
    } else if (line.startsWith(' ')) {
      gone--
      left--
      number++
    }
  }
  return found
}
