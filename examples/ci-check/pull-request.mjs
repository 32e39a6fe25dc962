import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { findProgram } from 'escrowfs'

/** Options that override settings and attributes of a repository, which could hide changes: every file is text, without conversion. */
const SHOW_ALL = [
  '--text',
  '--no-ext-diff',
  '--no-textconv',
  '--no-renames',
  '--no-color',
  '--ignore-submodules',
  '--inter-hunk-context=0',
]
/** Settings of a repository can name programs. These options start none: no hook, monitor, pager, signer or fetch helper. */
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
 * Reads a pull request from git: from the merge base to its head.
 * @param {{ cwd: string, base: string, head: string }} options revisions of a repository
 */
export function pullRequest({ cwd, base: onto, head: to }) {
  // A git inside the repository could be part of the pull request.
  const { path: program } = findProgram('git')
  if (program === undefined) throw new Error('There is no git on PATH outside the repository.')
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

    /** Each changed file, with the numbers of its added lines, from 1. */
    changed: () => {
      const names = git('diff', '-z', '--name-only', '--diff-filter=d', ...SHOW_ALL, base, head, '--').toString()
      return names
        .split('\0')
        .filter((path) => path !== '')
        .map((path) => {
          const patch = git('diff', '-U0', ...SHOW_ALL, base, head, '--', `:(literal,top)${path}`)
          return { path, added: addedLines(patch.toString('latin1')) }
        })
    },

    /** The `Trace-Head:` trailers, by commit. */
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

    /** The commits that change the ledger, each with the head after it. @param {string} ledger its path */
    ledgerCommits: (ledger) => {
      const listed = git('rev-list', '--no-merges', commits, '--', `:(literal,top)${ledger}`).toString()
      return listed
        .split('\n')
        .filter((line) => line !== '')
        .map((commit) => ({ commit, head: lastHead(commit, ledger) }))
    },
  }
}

/** @param {string} workspace a folder of the repository @returns {string} the prefix of its paths */
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

/** The numbers of the added lines, from the hunk headers of a patch. */
function addedLines(/** @type {string} */ patch) {
  /** @type {number[]} */
  const found = []
  let [left, removed] = [0, 0]
  let number = 0
  for (const line of patch.split('\n')) {
    const [, old, start, count] = (left + removed === 0 && /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)) || []
    if (start !== undefined) {
      ;[removed, left, number] = [Number(old ?? 1), Number(count ?? 1), Number(start)]
    } else if (removed > 0 && line.startsWith('-')) removed--
    else if (left > 0 && line.startsWith('+')) {
      left--
      found.push(number++)
    } else if (line.startsWith(' ')) {
      removed--
      left--
      number++
    }
  }
  return found
}
