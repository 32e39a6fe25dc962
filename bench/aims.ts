/** What is aimed at, row by row, and where each part of it is measured. */

export interface Part {
  readonly suite: string
  /** What the measured row's title begins with; the sizes behind it may differ. */
  readonly title: string
}

export interface AimedRow {
  readonly what: string
  readonly beside: string
  readonly parts: readonly Part[]
  /** Why it is not reached, where it is known. Said only while it is missed. */
  readonly missed?: string
  /** How the README names the row. Rows without one are in docs/speed.md alone. */
  readonly headline?: string
}

const facade = (...titles: string[]): Part[] => titles.map((title) => ({ suite: 'facade', title }))
const parts = (suite: string, ...titles: string[]): Part[] => titles.map((title) => ({ suite, title }))

export const AIMED: readonly AimedRow[] = [
  {
    what: 'lower `readFileSync` / `statSync` / `existsSync`, 10,000 files staged elsewhere',
    beside: 'node:fs',
    parts: facade('readFileSync 4 KB, lower', 'statSync, lower', 'existsSync, lower'),
    missed: 'each read is judged (secrets, links) before it goes to the disk',
  },
  {
    what: 'lower `promises.readFile` 4 KB / `promises.stat`',
    beside: 'fs.promises',
    parts: facade('promises.readFile 4 KB, lower', 'promises.stat, lower'),
  },
  {
    what: 'event loop delay (99 %) while `promises.stat` is awaited again and again, in one loop / in 64',
    beside: '',
    parts: facade(
      'event loop delay, 99 %, in one loop of promises.stat',
      'event loop delay, 99 %, in 64 loops of promises.stat',
    ),
  },
  {
    what: 'staged `readFileSync` / `existsSync` / `statSync`',
    headline: 'Reading a staged file (`readFileSync` / `existsSync` / `statSync`)',
    beside: 'node:fs',
    parts: facade('readFileSync 4 KB, staged', 'existsSync, staged', 'statSync, staged'),
  },
  {
    what: 'a write of 4 KB with every check, `durability: memory`: over a staged file / new / first touch',
    beside: 'a write on tmpfs',
    parts: facade(
      'writeFileSync 4 KB over a staged file, durability memory',
      'writeFileSync 4 KB, a new file, durability memory',
      'writeFileSync 4 KB over a lower file, first touch, durability memory',
    ),
    missed:
      'a new file is looked for on the disk, and given an inode and memory of its own; a first touch looks at every directory above, reads what was there and digests it',
  },
  {
    what: 'the same, `durability: process`: over a staged file / new',
    headline: 'Writing 4 KB with every check (over a staged file / to a new one)',
    beside: 'a write on tmpfs',
    parts: facade(
      'writeFileSync 4 KB over a staged file, durability process',
      'writeFileSync 4 KB, a new file, durability process',
    ),
    missed: 'the content and a record go to two files of the session',
  },
  {
    what: 'a scope of 1,000 globs, a path never seen / seen before',
    beside: '',
    parts: parts(
      'policy',
      'one scope of 1,000 globs, a path never seen',
      'one scope of 1,000 globs, a path seen before',
    ),
    missed:
      'a path is looked up in what is remembered, cut at its slashes as far as a glob goes with it, and remembered',
  },
  {
    what: 'the whole decision of a write, 5 intents of 200 globs, a path never seen / seen before',
    beside: '',
    parts: parts(
      'policy',
      'the whole decision of a write in scope, 5 intents of 200 globs, a path never seen',
      'the whole decision of a write in scope, 5 intents of 200 globs, a path seen before',
    ),
    missed: 'scope is one rule of many: access, protected paths and the intent’s state are judged as well',
  },
  {
    what: '`readdirSync` of 200 names, untouched / half of them staged',
    beside: 'node:fs',
    parts: facade('readdirSync of 200 names, untouched', 'readdirSync of 200 names, half'),
    missed: 'each listing looks whether the directory still is one: another program may have put a link there',
  },
  {
    what: 'rename of a directory of 50,000 files / a snapshot / a travel',
    beside: '',
    parts: facade('renameSync of a lower directory', 'snapshot, ', 'travel, '),
    missed:
      'a rename looks below for what is judged by more than its directory, up to a bound; a travel is recorded in the ledger, which is synced',
  },
  {
    what: 'memory of a staged file of 100 B / 4 KB / 10 KB',
    beside: '',
    parts: facade(
      'memory of one staged file of 100 B',
      'memory of one staged file of 4 KB',
      'memory of one staged file of 10 KB',
    ),
  },
  {
    what: 'commit of 1,000 files of 4 KB, kill-safe / power-safe',
    headline: 'Committing 1,000 files (safe against a killed process / a power cut)',
    beside: 'creating the files',
    parts: parts(
      'commit',
      'commit of 1000 files of 4 KB over existing ones, kill-safe',
      'commit of 1000 files of 4 KB over existing ones, power-safe',
    ),
    missed:
      'where the disk is memory the journal’s calls alone (a file aside, a second name for the old one, a rename) take 4 to 6 times the creation; most of the rest is parsing, 0.8 ms for 4 KB and up to 4 MiB a commit, which files without a grammar do not need',
  },
  {
    what: 'a contained command that does nothing',
    beside: 'a plain spawn',
    parts: parts('exec', 'a command that does nothing'),
  },
  {
    what: 'taking in what a command has changed, a file',
    beside: '',
    parts: parts('exec', 'taking in 1000 files'),
    missed:
      'a quarter of a file’s time goes into judging, hashing and storing it; a quarter into computing its hunks; a sixth into reading it by five calls',
  },
  {
    what: 'one hook decision, by a process of its own / served in process / over loopback HTTP',
    beside: '`node -e 0`',
    parts: parts(
      'hooks',
      'one hook decision by a process of its own',
      'one decision, served in process',
      'one decision, served over loopback HTTP',
    ),
    missed:
      'a process loads the command before it decides: V8 compiles 0.5 MB, most of it what reads YAML and checks what comes in, and without a compile cache it does so each time',
  },
  {
    what: 'the first screen of `escrow review`, 50 changed files',
    beside: '',
    parts: parts('review', 'the first screen of escrow review'),
    missed:
      'a third goes into loading the command, a fifth into parsing the changes, whose classes stand on the first screen',
  },
  {
    what: 'opening a workspace of 50,000 files, up to the first read and write',
    beside: '',
    parts: parts('open', 'open, select, first read and write'),
  },
]
