/** Programs whose version is cheap to ask for, with the arguments that print it. */
const PROGRAMS: Readonly<Record<string, string>> = {
  node: '--version',
  npm: '--version',
  npx: '--version',
  pnpm: '--version',
  yarn: '--version',
  bun: '--version',
  deno: '--version',
  python: '--version',
  python3: '--version',
  ruby: '--version',
  go: 'version',
  cargo: '--version',
  rustc: '--version',
  make: '--version',
  gcc: '--version',
  git: '--version',
}

/** Programs that are scripts for node. */
const ON_NODE = ['npm', 'npx', 'pnpm', 'yarn']

/** A shell line that prints the name, a tab and the version of each known program that a command names; undefined for none. */
export function versionsLine(command: string): string | undefined {
  const words = new Set(command.split(/[^\w.-]+/))
  const programs = Object.keys(PROGRAMS).filter((name) => words.has(name))
  const all = programs.some((name) => ON_NODE.includes(name)) ? new Set(['node', ...programs]) : new Set(programs)
  if (all.size === 0) return undefined
  return [...all]
    .map((name) => `printf '%s\\t%s\\n' ${name} "$(${name} ${PROGRAMS[name]} 2>/dev/null | head -n 1)"`)
    .join('\n')
}

/** Reads what {@link versionsLine} prints. A program without an answer is left out. */
export function parseVersions(text: string): Record<string, string> {
  const rows = text.split('\n').flatMap((line): [string, string][] => {
    const [name = '', version = ''] = line.split('\t')
    return Object.hasOwn(PROGRAMS, name) && version !== '' ? [[name, version.slice(0, 100)]] : []
  })
  return Object.fromEntries(rows)
}
