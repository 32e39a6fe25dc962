/** The aims, row by row, with the suites that measure them. */

export interface Part {
  readonly suite: string
  /** The start of the measured row's title. The sizes after it may differ. */
  readonly title: string
}

export interface AimedRow {
  readonly what: string
  readonly beside: string
  readonly parts: readonly Part[]
  /** The reason why the aim is missed, in sentences. Printed only while it is missed. */
  readonly missed?: string
  /** The row's name in the README. Rows without one are only in docs/speed.md. */
  readonly headline?: string
}

const facade = (...titles: string[]): Part[] => titles.map((title) => ({ suite: 'facade', title }))
const parts = (suite: string, ...titles: string[]): Part[] => titles.map((title) => ({ suite, title }))

export const AIMED: readonly AimedRow[] = [
  {
    what: 'lower `readFileSync` / `statSync` / `existsSync`, 10,000 files staged elsewhere',
    beside: 'node:fs',
    parts: facade('readFileSync 4 KB, lower', 'statSync, lower', 'existsSync, lower'),
    missed: 'Each read is checked for secrets and links before it goes to the disk.',
  },
  {
    what: 'lower `promises.readFile` 4 KB / `promises.stat`',
    beside: 'fs.promises',
    parts: facade('promises.readFile 4 KB, lower', 'promises.stat, lower'),
  },
  {
    what: 'event loop delay (99 %) while `promises.stat` is awaited repeatedly, in one loop / in 64',
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
      'A new file is first looked up on disk, then gets an inode and memory. A first touch checks every parent directory, then reads and hashes the old content.',
  },
  {
    what: 'the same, `durability: process`: over a staged file / new',
    headline: 'Writing 4 KB with every check (over a staged file / to a new one)',
    beside: 'a write on tmpfs',
    parts: facade(
      'writeFileSync 4 KB over a staged file, durability process',
      'writeFileSync 4 KB, a new file, durability process',
    ),
    missed: 'The content and a record go to two files of the session.',
  },
  {
    what: 'a scope of 1,000 globs, a path never seen / seen before',
    beside: '',
    parts: parts(
      'policy',
      'one scope of 1,000 globs, a path never seen',
      'one scope of 1,000 globs, a path seen before',
    ),
    missed: 'A path is looked up in the cache. A new one is matched segment by segment, and the result is cached.',
  },
  {
    what: 'the whole decision of a write, 5 intents of 200 globs, a path never seen / seen before',
    beside: '',
    parts: parts(
      'policy',
      'the whole decision of a write in scope, 5 intents of 200 globs, a path never seen',
      'the whole decision of a write in scope, 5 intents of 200 globs, a path seen before',
    ),
    missed: 'Scope is only one of many rules. Access, protected paths and the intent’s state are checked too.',
  },
  {
    what: '`readdirSync` of 200 names, untouched / half of them staged',
    beside: 'node:fs',
    parts: facade('readdirSync of 200 names, untouched', 'readdirSync of 200 names, half'),
    missed:
      'Each listing checks that the path is still a directory, because another program may have replaced it by a link.',
  },
  {
    what: 'rename of a directory of 50,000 files / a snapshot / a travel',
    beside: '',
    parts: facade('renameSync of a lower directory', 'snapshot, ', 'travel, '),
    missed:
      'A rename checks a bounded number of paths below, whose rules may depend on more than the directory. A travel is recorded in the ledger, which is synced to disk.',
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
    beside: 'creating and syncing each file',
    parts: parts(
      'commit',
      'commit of 1000 files of 4 KB over existing ones, kill-safe',
      'commit of 1000 files of 4 KB over existing ones, power-safe',
    ),
    missed:
      'On tmpfs a sync is free, and the journal’s file calls alone take about as long as the aim: a temporary file, a second link to the old file, and a rename. The rest goes into checking each base twice, attributing lines, and naming the changed functions in the intent map.',
  },
  {
    what: 'classes of 1,000 changed files of 4 KB, per file, from the cache',
    beside: '',
    parts: parts('review', 'classes of 1,000 changed files'),
  },
  {
    what: 'a contained command that does nothing',
    beside: 'a plain spawn',
    parts: parts('exec', 'a command that does nothing'),
  },
  {
    what: 'a later command on a copy of 5,000 files / of 50,000: with namespaces, then under Landlock',
    beside: 'the same on an overlay',
    parts: parts(
      'exec',
      'a later command in a tree of 5,000 files, on namespace-copy',
      'a later command in a tree of 50,000 files, on namespace-copy',
      'a later command in a tree of 5,000 files, on landlock-copy',
      'a later command in a tree of 50,000 files, on landlock-copy',
    ),
    missed:
      'Two searches by `find` ask the kernel for the times of all files: of the workspace before the command, and of the copy after it. Each takes one to four microseconds per file, depending on the machine.',
  },
  {
    what: '`escrow run -- true`, in a new process',
    beside: '',
    parts: parts('exec', 'escrow run of a command that does nothing'),
    missed:
      'Node alone takes a tenth of the time. Most of the rest goes into loading the command, its schemas and the session. The sandbox takes about 20 ms.',
  },
  {
    what: 'ingesting the changes of a command, per file',
    beside: '',
    parts: parts('exec', 'taking in 1000 files'),
    missed:
      'A third of the time per file goes into opening it in the mount, by a path that no other process can replace. A quarter goes into checking, hashing and storing it, and a quarter into its hunks.',
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
      'A bare start takes 24 ms, a hook 52 ms. Node’s modules for hashes and for stdin take 6 ms of the 7 ms that the aim leaves. Loading our compiled code takes 10 ms, the decision 7 ms. The YAML parser and the schemas load only after a file changed. Earlier figures, down to 1.33×, were measured with `NODE_EXTRA_CA_CERTS`, which makes each start of Node 20 longer by more than the hook itself takes.',
  },
  {
    what: '`escrow status` / `escrow diff --stat`, in a new process',
    beside: '`node -e 0`',
    parts: parts('hooks', 'escrow status in a new process', 'escrow diff --stat in a new process'),
    missed:
      'A new process loads the command line parser, the workspace and the review, from a cache of compiled code, and reads each session’s stage. In a profile of `escrow status` with 20 changed files, a quarter is loading and running modules, an eighth the garbage collector, a twelfth comparing contents, and another finding the most severe fact. The first call after a change also parses, in 0.4 s. Earlier figures were measured with `NODE_EXTRA_CA_CERTS`: see the hook.',
  },
  {
    what: 'the first screen of `escrow review`, 50 / 2,000 changed files',
    beside: '',
    parts: parts('review', 'the first screen of escrow review, 50 ', 'the first screen of escrow review, 2,000 '),
    missed:
      'The screen counts hunks and names risks in every file, so all files are read and compared first. With 2,000 files, 870 ms of processor time on the same machine, 22 % goes into reading and comparing contents, 16 % into listing the changes, 7 % into the stage’s log and 22 % into the garbage collector. With 50 files most of the time goes into loading the command.',
  },
  {
    what: 'the review page of 2,000 changed files, up to its list, in a running browser',
    beside: '',
    parts: parts('review', 'the review page'),
    missed: 'The list counts lines and names risks in every file, so all files are read and compared first.',
  },
  {
    what: 'opening a workspace of 50,000 files, up to the first read and write',
    beside: '',
    parts: parts('open', 'open, select, first read and write'),
  },
]
