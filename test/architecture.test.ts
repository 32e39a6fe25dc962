import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { findDiskPowers } from './support/disk-powers.js'
import { readModule } from './support/modules.js'
import { entries, filesBelow, REPOSITORY, resolveModule } from './support/usage.js'

/** Checks the plan of the source's directories by reading the imports. */

const sources = [...filesBelow('overlay', /\.tsx?$/), ...filesBelow('src', /\.tsx?$/)]

/** Every module that a file imports, types included: workspace files by path, others by name. */
function importsOf(file: string, text?: string): string[] {
  return readModule(join(REPOSITORY, file), text).specifiers.map((name) => resolveModule(file, name))
}

/** `overlay`, `core`, …, or `root` for the files directly in src. */
function folderOf(file: string): string {
  const [top, folder, inner] = file.split('/')
  if (top !== 'src') return top ?? ''
  if (inner === undefined) return 'root'
  return folder ?? ''
}

const BELOW = ['core', 'overlay', 'os']
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  overlay: [],
  hosts: [],
  core: ['hosts'],
  os: ['core', 'overlay'],
  'change-class': BELOW,
  risk: ['core', 'os', 'change-class'],
  'command-class': ['core', 'os'],
  intents: ['core', 'os'],
  policy: [...BELOW, 'hosts'],
  'policy-edit': ['core', 'os', 'policy'],
  trace: [...BELOW, 'change-class'],
  commit: BELOW,
  terminal: [...BELOW, 'hosts'],
  fs: BELOW,
  review: [...BELOW, 'risk'],
  trust: [...BELOW, 'intents', 'policy'],
  hooks: ['core', 'intents'],
  access: [...BELOW, 'policy', 'trace'],
  stage: [...BELOW, 'change-class', 'commit', 'policy', 'review', 'risk', 'terminal', 'trace'],
  history: [...BELOW, 'access', 'intents', 'policy', 'trace'],
  inbox: [...BELOW, 'access', 'policy', 'review', 'stage', 'terminal'],
  exec: [...BELOW, 'command-class', 'fs', 'hosts', 'inbox', 'policy', 'review', 'stage', 'terminal'],
  acceptance: [...BELOW, 'commit', 'exec', 'intents', 'policy', 'review', 'stage', 'terminal', 'trace'],
  session: [...BELOW, 'commit', 'exec', 'fs', 'history', 'inbox', 'intents', 'policy', 'review', 'stage', 'trace'],
  git: BELOW,
  tiers: ['core', 'overlay', 'policy', 'risk'],
  release: [
    ...BELOW,
    ...[
      'acceptance',
      'access',
      'change-class',
      'commit',
      'git',
      'history',
      'intents',
      'policy',
      'policy-edit',
      'review',
      'risk',
      'session',
      'stage',
      'terminal',
      'tiers',
    ],
    'trace',
  ],
  workspace: [
    ...BELOW,
    ...[
      'access',
      'commit',
      'git',
      'history',
      'intents',
      'policy',
      'release',
      'review',
      'session',
      'stage',
      'trace',
      'trust',
    ],
  ],
  judge: [
    ...BELOW,
    ...['access', 'exec', 'fs', 'inbox', 'intents', 'policy', 'review', 'session', 'stage', 'terminal', 'trace'],
    'workspace',
  ],
  'pull-request': ['core', 'os', 'trace'],
  backtest: ['core', 'overlay', 'command-class', 'judge', 'policy', 'risk'],
  attest: [...BELOW, 'trace'],
  hub: [...BELOW, 'review', 'trace'],
  'hub-server': [...BELOW, 'hub', 'review'],
  remote: [...BELOW, 'hub', 'review', 'stage', 'trace'],
  landing: [...BELOW, 'acceptance', 'git', 'hub', 'intents', 'policy', 'review'],
  transparency: [...BELOW, 'trace'],
  embed: [...BELOW, 'fs', 'inbox', 'session', 'terminal'],
  'client-settings': [...BELOW, 'access', 'hosts'],
  surface: [
    ...BELOW,
    ...['access', 'client-settings', 'hosts', 'inbox', 'policy', 'review', 'risk', 'stage', 'terminal', 'trace'],
  ],
  agents: [],
  cli: [],
  web: [],
}
/** Directories without an index: small files that do not know each other. Each file is imported by its name. */
const LIBRARIES = ['core', 'os']
/** Directories that nobody imports; the command line starts an adapter by its own entry. */
const SURFACES = ['agents', 'cli', 'web']
/** All others are imported only through `index.ts`. */
const ENCAPSULATED = Object.keys(MAY_IMPORT).filter(
  (folder) => !LIBRARIES.includes(folder) && !SURFACES.includes(folder),
)
const indexOf = (folder: string) => (folder === 'overlay' ? 'overlay/index.ts' : `src/${folder}/index.ts`)
/**
 * Files that are imported by name although their directory has an index, because they load much that its other users do
 * not need.
 */
const LOADED_LATER = [
  'src/exec/admission.ts',
  'src/history/intent-map.ts',
  'src/inbox/ask-owner.ts',
  'src/inbox/mount-feedback.ts',
  'src/session/session.ts',
  'src/trace/remote-chain.ts',
  'src/trace/verified.ts',
  'overlay/union-view.ts',
]
const PUBLIC = ['src/index.ts', 'src/hooks/index.ts', 'src/hosts/index.ts', 'src/surface/index.ts']
/** A command for a host starts the adapter for it, by its entry. */
const ADAPTER =
  /^src\/(?:agents\/\w+|attest|backtest|hub|hub-server|landing|pull-request|remote|transparency|web)\/index\.ts$/
/** A backtest reads recorded calls by the adapters' tables. */
const HISTORY = 'src/agents/history/index.ts'
/** They import nothing, and are not part of the public API: text that is safe to print, optional fields, and advice. */
const SHARED = ['src/core/printable.ts', 'src/core/defined.ts', 'src/core/errno-advice.ts']

/** The parts of the overlay that the shared vocabulary may import: files without imports. */
const VOCABULARY = ['overlay/errno.ts', 'overlay/digest.ts']

function forbidden(file: string, imported: string): string | undefined {
  const [from, to] = [folderOf(file), folderOf(imported)]
  if (from === to) return undefined
  if (from === 'cli' && ADAPTER.test(imported)) return undefined
  if (from === 'backtest' && imported === HISTORY) return undefined
  if (SURFACES.includes(from) && SHARED.includes(imported)) return undefined
  if (from === 'core' && VOCABULARY.includes(imported)) return undefined
  if (SURFACES.includes(to)) return `${file} imports ${imported}: nobody imports ${to}`
  if (ENCAPSULATED.includes(to) && imported !== indexOf(to) && !LOADED_LATER.includes(imported))
    return `${file} imports ${imported}, not the room's index`
  // This only file is the public API.
  if (from === 'root') return undefined
  if (SURFACES.includes(from))
    return PUBLIC.includes(imported)
      ? undefined
      : `${file} imports ${imported}, neither the public API nor the surfaces' room`
  if (!MAY_IMPORT[from]?.includes(to)) return `${file} imports ${imported}: ${from} may not import ${to}`
  return undefined
}

describe('the directories of the source', () => {
  it('are listed in ARCHITECTURE.md, with their allowed imports', () => {
    const page = readFileSync('ARCHITECTURE.md', 'utf8')
    const listed = [...page.matchAll(/^\| `(?:src\/)?([\w-]+)\/` +\| [^|]+ \| ([^|]+?) +\|$/gm)].flatMap(
      ([, folder = '', imports = '']) =>
        SURFACES.includes(folder) ? [] : [[folder, imports === 'nothing' ? [] : imports.split(', ').sort()]],
    )
    const held = Object.entries(MAY_IMPORT).flatMap(([folder, imports]) =>
      SURFACES.includes(folder) ? [] : [[folder, [...imports].sort()]],
    )
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(held))
  })

  it('import only what the plan allows', () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter((name) => name.startsWith('src/') || name.startsWith('overlay/'))
        .flatMap((imported) => forbidden(file, imported) ?? []),
    )
    expect(wrong).toEqual([])
  })

  it('the page in the browser imports only source files without imports', () => {
    const taken = new Set(filesBelow('web/src', /\.tsx?$/).flatMap((file) => importsOf(file)))
    const ours = [...taken].filter((name) => /^(?:src|overlay)\//.test(name)).sort()
    expect(ours).toEqual([
      'src/core/printable.ts',
      'src/review/keymap.ts',
      'src/web/markers.ts',
      'src/web/wire-stats.ts',
      'src/web/wire.ts',
    ])
    expect(ours.flatMap((file) => importsOf(file))).toEqual([])
  })

  it('are all in the plan', () => {
    const folders = new Set(sources.map(folderOf))
    expect([...folders].filter((folder) => folder !== 'root' && !(folder in MAY_IMPORT))).toEqual([])
  })

  it('the public API is the only file directly in src', () => {
    expect(sources.filter((file) => folderOf(file) === 'root')).toEqual(['src/index.ts'])
  })

  it('import each other in one direction only, also through others', () => {
    const below = (folder: string): ReadonlySet<string> => {
      const found = new Set(MAY_IMPORT[folder])
      for (const each of found) for (const further of MAY_IMPORT[each] ?? []) found.add(further)
      return found
    }
    expect(Object.keys(MAY_IMPORT).filter((folder) => below(folder).has(folder))).toEqual([])
  })

  it('have no cycle of files, by value, by type or by a dynamic import', () => {
    const graph = new Map(sources.map((file) => [file, importsOf(file).filter((name) => sources.includes(name))]))
    const done = new Set<string>()
    const cycles: string[] = []
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' > '))
      else if (!done.has(file)) for (const next of graph.get(file) ?? []) visit(next, [...path, file])
      done.add(file)
    }
    for (const file of sources) visit(file, [])
    expect(cycles).toEqual([])
  })

  it('use every import that the plan allows', () => {
    const used = new Set(
      sources.flatMap((file) => importsOf(file).map((name) => `${folderOf(file)} ${folderOf(name)}`)),
    )
    const idle = ENCAPSULATED.flatMap((folder) => (MAY_IMPORT[folder] ?? []).map((to) => `${folder} ${to}`))
    expect(idle.filter((arrow) => !used.has(arrow))).toEqual([])
  })

  it('say in their index what they are for, and what must not happen there', () => {
    const silent = ENCAPSULATED.filter(
      (folder) => !/^\/\*\*\n(?: \*.*\n){4,}/.test(readFileSync(join(REPOSITORY, indexOf(folder)), 'utf8')),
    )
    expect(silent).toEqual([])
  })

  it('are checked for every form of import', () => {
    const text = `import a from '../cli/run.js'; export * from '../cli/run.js'; type T = import('../cli/run.js').X
      await import('../cli/run.js')`
    expect(importsOf('src/fs/x.ts', text)).toEqual(Array(4).fill('src/cli/run.ts'))
    expect(forbidden('src/fs/x.ts', 'src/cli/run.ts')).toBeDefined()
    expect(forbidden('src/cli/x.ts', 'src/agents/claude/tools.ts')).toBeDefined()
    expect(forbidden('src/web/x.ts', 'src/agents/claude/index.ts')).toBeDefined()
    expect(forbidden('src/policy/x.ts', 'src/intents/registry.ts')).toBeDefined()
    expect(forbidden('src/core/x.ts', 'overlay/path.ts')).toBeDefined()
    expect(forbidden('overlay/x.ts', 'src/core/ids.ts')).toBeDefined()
    expect(forbidden('src/cli/x.ts', 'src/agents/mcp/http.ts')).toBeDefined()
    expect(forbidden('src/release/x.ts', 'src/stage/store.ts')).toBeDefined()
    expect(forbidden('src/index.ts', 'src/stage/store.ts')).toBeDefined()
    expect(forbidden('src/fs/x.ts', 'overlay/errno.ts')).toBeDefined()
    expect(forbidden('src/release/x.ts', 'src/review/review.ts')).toBeDefined()
    expect(forbidden('src/core/x.ts', 'overlay/index.ts')).toBeDefined()
    expect(forbidden('src/session/x.ts', 'src/release/index.ts')).toBeDefined()
    expect(forbidden('src/fs/x.ts', 'src/agents/mcp/index.ts')).toBeDefined()
  })
})

/** The files that change the disk by node:fs; they have no other capability. */
const WRITERS = ['src/os/write.ts', 'overlay/stage-log.ts', 'overlay/compact.ts']
/** Every other file with a capability to change the disk, and why it does not, or where it may. */
const GRANTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'src/cli/review/text.ts': { 'package string-width': 'measures text' },
  'src/fs/facade.ts': {
    'fs handed on': 'names what the host has; no value that is a function gets out (test/fs/locks-runtime.test.ts)',
    'fs.promises handed on': 'names what the host has',
  },
  'src/fs/streams.ts': {
    'fs.ReadStream': 'with our own open, read and close',
    'fs.WriteStream': 'with our own open, write and close',
  },
  'src/os/loopback.ts': { 'module http': 'listens on loopback, for clients with a token' },
  'src/hub/postgres.ts': { 'package postgres': "connects a hub's operator with the database that they name" },
  'src/hub/pglite.ts': {
    'package @electric-sql/pglite': "keeps a hub's database in the directory that its operator names",
  },
  'src/hub-server/provider.ts': {
    'package openid-client': 'asks the identity provider that the operator named, and checks its answers',
  },
  'src/hub-server/telemetry.ts': {
    'package @opentelemetry/sdk-node': 'sends spans and counters to where the operator named',
  },
  'src/hub-server/serve.ts': { 'package @hono/node-server': 'answers requests of a server it is given' },
  'src/web/serve.ts': { 'package @hono/node-server': 'answers requests of a server it is given' },
  'src/os/socket.ts': { 'module net': 'listens on a Unix socket in a directory of its own, for escrow-sh' },
  'src/core/allowed-hosts.ts': { 'module net': 'compares addresses' },
  'src/terminal/run-escapes.ts': {
    'module net': 'listens where an attempt to get out tries to connect',
    'module dgram': 'listens for a command that should not reach it',
  },
  'src/terminal/network/host-gate.ts': {
    'module net': 'takes over the socket that listens in a namespace of a command',
  },
  'src/terminal/network/loopback-gate.ts': { 'module net': 'listens for the command of a proxy' },
  'src/terminal/network/proxy.ts': { 'module http': 'speaks the proxy protocol with a command' },
  'src/terminal/network/socks.ts': { 'module net': 'tells kinds of addresses apart' },
  'src/terminal/network/tunnel.ts': {
    'module net': 'connects a command to a host that it may reach',
    'module dns': 'resolves the name of a host that a command may reach',
  },
  'src/attest/ssh-agent.ts': { 'module net': "asks the person's ssh-agent to sign" },
  'src/inbox/ask-owner.ts': { 'module net': "asks a session's owner what reviewers said" },
  'src/cli/shell/in-owner.ts': { 'module net': 'speaks with the process that owns a session' },
  'src/cli/read-stdin.ts': { 'module stream/consumers': 'reads what the person pipes in' },
  'src/cli/prompts.ts': { 'package @clack/prompts': 'asks the person at the terminal' },
  'src/os/pager.ts': { 'module child_process': 'starts the pager a person has chosen' },
  'src/os/json-edit.ts': { 'package jsonc-parser': 'parses text' },
  'src/os/code-cache.ts': {
    'module module': 'compiles the files of the command',
    'module vm': 'compiles the files of the command from code that it kept',
    createRequire: 'gives a file of the command what Node gives it',
  },
  'src/os/compile-cache.ts': { 'module module': 'has Node keep compiled code in the state directory' },
  'src/os/browser.ts': { 'module child_process': 'starts the browser a person has chosen' },
  'src/os/editor.ts': { 'module child_process': 'starts the editor a person has chosen' },
  'src/os/child.ts': { 'module child_process': 'starts programs of the system for the terminal' },
  'src/os/lock.ts': { 'package proper-lockfile': 'makes and removes lock directories of our own' },
  'src/os/grammars.ts': {
    'package @vscode/tree-sitter-wasm': 'reads its own grammars',
    'module module': 'finds them',
  },
  'src/os/wasm-optimizer.ts': { getBuiltinModule: 'sets when WebAssembly is optimized' },
  'src/terminal/landlock/attribute-calls.ts': {
    getBuiltinModule: 'is the text of a child, which changes attributes of files in the copy for its command',
  },
  'src/terminal/landlock/libc.ts': { getBuiltinModule: 'is the text of a child' },
  'src/terminal/landlock/network-calls.ts': {
    getBuiltinModule: 'is the text of a child, which connects its command to a proxy',
  },
  'src/terminal/landlock/restrict.ts': { getBuiltinModule: 'is the text of a child' },
  'src/terminal/landlock/supervise.ts': { getBuiltinModule: 'is the text of a child' },
  'src/terminal/landlock/run.ts': { 'module module': 'finds the optional package that calls the kernel' },
  'src/review/highlight.ts': {
    'module vm': 'reads a text by the grammar of another within a time limit',
    'package lowlight': 'turns text into tokens',
  },
  'overlay/union-view.ts': { 'package unionfs': 'over read-only views (test/overlay/union-view.test.ts)' },
  'src/agents/mcp/elicit.ts': { 'package @modelcontextprotocol/server': 'says what a client is to ask its user' },
  'src/agents/mcp/http.ts': {
    'package @hono/node-server': 'hands requests on as the platform has them',
    'package @modelcontextprotocol/server': 'answers messages that come over HTTP',
  },
  'src/agents/mcp/http-transport.ts': {
    'package @modelcontextprotocol/server': 'answers messages that come over HTTP',
  },
  'src/agents/mcp/resources.ts': { 'package @modelcontextprotocol/server': 'offers resources' },
  'src/agents/mcp/server.ts': {
    'package @modelcontextprotocol/server': 'speaks the protocol over a transport it is given',
  },
  'src/agents/mcp/stdio.ts': {
    'package @modelcontextprotocol/server': "reads and writes this process's standard streams",
  },
  'src/agents/roo/tools-file.ts': { 'global handed on': 'declares where the tools file of Roo finds its tools' },
  'src/fs/route-call.ts': { 'fs handed on': 'to calls that neither concern the workspace nor belong to a tool call' },
  'src/fs/routed.ts': {
    'fs handed on': 'names what the host has; what it calls is chosen by src/fs/route-call.ts',
    'fs.promises handed on': 'names what the host has',
  },
  'src/embed/host-programs.ts': {
    'module child_process': "starts a host's own programs, out of tool calls, and the shell that contains what it runs",
  },
  'src/agents/roo/alias.ts': { 'module module': "hands a host's modules the governed fs for the real one" },
  'src/agents/roo/bounded-match.ts': { 'module vm': 'matches a pattern within a time limit' },
}

describe('the disk', () => {
  it('is changed by three files only, and no file has a capability without a grant', () => {
    const wrong = sources.flatMap((file) =>
      findDiskPowers(join(REPOSITORY, file))
        .filter((power) => !(WRITERS.includes(file) && power.startsWith('fs.')) && !GRANTED[file]?.[power])
        .map((power) => `${file}: ${power}`),
    )
    expect(wrong).toEqual([])
  })

  it('has no grant that its file does not use', () => {
    const idle = Object.entries(GRANTED).flatMap(([file, powers]) => {
      const used = existsSync(join(REPOSITORY, file)) ? findDiskPowers(join(REPOSITORY, file)) : []
      return Object.keys(powers).flatMap((power) => (used.includes(power) ? [] : [`${file}: ${power}`]))
    })
    expect(idle).toEqual([])
  })
})

describe('the tests', () => {
  it('all match the pattern of the run', () => {
    const stray = [
      ...filesBelow('test', /\.(test|spec)\.[cm]?[jt]sx?$/),
      ...sources,
      ...filesBelow('examples', /\.ts$/),
    ].filter((file) => /\.(test|spec)\./.test(file) && !/^test\/.*\.test\.ts$/.test(file))
    expect(stray).toEqual([])
    expect(filesBelow('test', /\.test\.ts$/).length).toBeGreaterThan(40)
  })

  it('are never skipped', () => {
    const off = filesBelow('test', /\.test\.ts$/).filter((file) =>
      /\b(it|test|describe)\.(skip|only|todo)\b|\.skipIf\(/.test(
        readFileSync(join(REPOSITORY, file), 'utf8').replace(/\/\\b[^\n]*/g, ''),
      ),
    )
    expect(off).toEqual([])
  })
})

describe('the files', () => {
  it('have at most 300 lines, or a reason at the top', () => {
    const long = sources.filter((file) => {
      const text = readFileSync(join(REPOSITORY, file), 'utf8')
      return text.split('\n').length > 301 && !/^\/\/ Long because: ./.test(text)
    })
    expect(long).toEqual([])
  })

  it('spread no object literal into another, because the compiler would not check its fields', () => {
    const spreadsLiteral = (text: string) => {
      const found: number[] = []
      const source = ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true)
      const visit = (node: ts.Node): void => {
        if (ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(node.expression)) found.push(node.pos)
        ts.forEachChild(node, visit)
      }
      visit(source)
      return found.length > 0
    }
    expect(spreadsLiteral('const a: Options = { ...{ netwrok: true } }')).toBe(true)
    expect(spreadsLiteral('const a: Options = { ...given, ...(b && { b }) }')).toBe(false)
    expect(sources.filter((file) => spreadsLiteral(readFileSync(join(REPOSITORY, file), 'utf8')))).toEqual([])
  })

  it('exist for every entry of the package', () => {
    expect(entries().length).toBeGreaterThan(8)
    expect(entries().filter((file) => !existsSync(join(REPOSITORY, file)))).toEqual([])
  })
})
