import { type Changed, extra, type Texts } from './changed.js'
import type { Found } from './facts.js'
import { otherManifestFacts } from './other-manifests.js'
import { directoryOf, isManifest, manifestOf, nameOf } from './paths.js'

/** Facts about manifests and lockfiles, from their contents. */
export function dependencyFacts(path: string, texts: Texts): Found[] {
  if (manifestOf(path) !== undefined) return lockFacts(path, texts)
  const isJson = isManifest(path) || nameOf(path) === 'composer.json'
  return [...(isJson ? manifestFacts(texts) : otherManifestFacts(path, texts)), ...sourceFacts(path, texts)]
}

/** Lockfiles that change without their manifest. It may be in a directory below: a workspace. */
export function lockAloneFacts({ path, kind }: Changed, set: readonly Changed[]): Found[] {
  const manifest = manifestOf(path)
  if (manifest === undefined || kind === 'rename' || kind === 'delete') return []
  const top = directoryOf(path)
  const has = set.some((other) => nameOf(other.path) === manifest && other.path.startsWith(top))
  return has ? [] : [{ name: 'lock-alone', what: '' }]
}

interface Packages {
  readonly resolved: ReadonlyMap<string, string>
  readonly checksums: ReadonlyMap<string, string>
  readonly scripts: ReadonlySet<string>
}

function lockFacts(path: string, { before, after, added }: Texts): Found[] {
  const [old, now] = [packagesOf(path, before), packagesOf(path, after)]
  const lineOf = (text: string) => added.find((line) => line.text.includes(text))?.number
  const hosts = new Set([...old.resolved.values()].map(hostOf))
  const found: Found[] = []
  for (const [name, address] of now.resolved) {
    const host = hostOf(address)
    if (hosts.size === 0 ? isUsual(host) : hosts.has(host)) {
      const was = old.resolved.get(name)
      if (was === undefined || hostOf(was) === host) continue
    }
    found.push({ name: 'lock-host', what: `${name} from ${host || address}`, line: lineOf(address) })
  }
  for (const [name, was] of old.checksums) {
    const sum = now.checksums.get(name)
    const isSame = sum === was || (sum === undefined && !now.resolved.has(name))
    if (!isSame) found.push({ name: 'lock-integrity', what: name, line: sum === undefined ? undefined : lineOf(sum) })
  }
  for (const name of now.scripts) if (!old.scripts.has(name)) found.push({ name: 'lock-script', what: name })
  return found
}

/** Where the public registries keep their files. A new lockfile may name these. */
const USUAL =
  /^(?:registry\.npmjs\.org|registry\.yarnpkg\.com|npm\.jsr\.io|files\.pythonhosted\.org|pypi\.org|rubygems\.org|github\.com|crates\.io)$/
const isUsual = (host: string) => USUAL.test(host)

function hostOf(address: string): string {
  return /^[\w+]{1,20}:\/\/(?:[^/\s@]{0,200}@)?([^/\s:]{1,253})/.exec(address)?.[1] ?? ''
}

function packagesOf(path: string, text: string): Packages {
  return path.endsWith('.json') ? jsonPackages(text) : textPackages(text)
}

function jsonPackages(text: string): Packages {
  const resolved = new Map<string, string>()
  const checksums = new Map<string, string>()
  const scripts = new Set<string>()
  const lock = record(parseJson(text))
  for (const [place, value] of [...entries(lock.packages), ...entries(lock.dependencies)]) {
    const { version, resolved: from, integrity, hasInstallScript, link } = record(value)
    if (link === true) continue
    const name = `${place.replace(/^.*node_modules\//, '')}@${String(version)}`
    if (typeof from === 'string') resolved.set(name, from)
    if (typeof integrity === 'string') checksums.set(name, integrity)
    if (hasInstallScript === true) scripts.add(name)
  }
  return { resolved, checksums, scripts }
}

/** yarn, pnpm, Cargo and others: lines with an address or a checksum, below a line that names a package. */
function textPackages(text: string): Packages {
  const resolved = new Map<string, string>()
  const checksums = new Map<string, string>()
  let name = ''
  let version = ''
  for (const line of text.split('\n')) {
    const read = line.slice(0, 1_000)
    if (/^\S.*:$|^ {2}\S.*:$|^name = /.test(read)) [name, version] = [read.replace(/^name = |[":]+$|"/g, '').trim(), '']
    version = /^\s*version:?\s=?\s?"?([^"\s]+)/.exec(read)?.[1] ?? version
    const key = `${name}@${version}`
    const address = /[a-z+]{2,10}:\/\/[^\s"',}]+/.exec(read)?.[0]
    if (address !== undefined && hostOf(address) !== '') resolved.set(key, address)
    const sum = /(?:integrity:?|checksum:?\s=?|hash = )\s?"?((?:sha\d+[-:])?[A-Za-z0-9+/=]{20,200})/.exec(read)?.[1]
    if (sum !== undefined) checksums.set(key, sum)
  }
  return { resolved, checksums, scripts: new Set() }
}

const AT_INSTALLATION =
  /^(?:pre|post)?install$|^(?:pre|post)?prepare$|^(?:pre|post)?pack$|^(?:pre|post)?publish(?:Only)?$|^dependencies$|^(?:pre|post)-(?:install|update|autoload-dump|root-package-install|create-project-cmd|package-\w+)(?:-cmd)?$/
const FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies', 'require', 'require-dev']
const OVERRIDES = ['overrides', 'resolutions']
const ELSEWHERE = /^(?:git|https?|ssh|file|link|github|gitlab|bitbucket)[+:@]|^[\w.-]+\/[\w.-]+(?:#|$)/

/** Facts about package.json, and about composer.json, which has the same shape. */
function manifestFacts({ before, after, added }: Texts): Found[] {
  const [old, now] = [record(parseJson(before)), record(parseJson(after))]
  const lineOf = (name: string) => added.find(({ text }) => text.includes(JSON.stringify(name)))?.number
  const found: Found[] = []
  for (const [name, value] of changedEntries(old.scripts, now.scripts)) {
    const isRun = AT_INSTALLATION.test(name)
    found.push({ name: isRun ? 'install-script' : 'script-changed', what: `${name}: ${value}`, line: lineOf(name) })
  }
  for (const field of FIELDS) {
    const was = record(old[field])
    for (const [name, range] of changedEntries(was, now[field])) found.push(dependency(name, range, was, lineOf(name)))
    for (const name of Object.keys(was)) {
      if (!isKept(name, now)) found.push({ name: 'dependency-removed', what: name })
    }
  }
  for (const field of OVERRIDES) {
    for (const [name] of changedEntries(old[field], now[field]))
      found.push({ name: 'dependency-override', what: name, line: lineOf(name) })
  }
  return found
}

const isKept = (name: string, now: Record<string, unknown>) =>
  FIELDS.some((field) => Object.hasOwn(record(now[field]), name))

function dependency(name: string, range: string, was: Record<string, unknown>, line: number | undefined): Found {
  const what = `${name} ${range}`
  if (ELSEWHERE.test(range)) return { name: 'dependency-source', what, line }
  return { name: Object.hasOwn(was, name) ? 'dependency-changed' : 'dependency-added', what, line }
}

function changedEntries(before: unknown, after: unknown): [name: string, value: string][] {
  const was = record(before)
  return entries(after).flatMap(([name, value]) =>
    JSON.stringify(was[name]) === JSON.stringify(value) ? [] : [[name, String(value)]],
  )
}

const REGISTRY =
  /^\s*(?:@[\w-]+:)?registry\s*[=:]|index-url|find-links|trusted-host|npmRegistryServer|\bsource\s+["']https?:|^\s*replace\s.*=>|strict-ssl\s*=\s*false/i
const REGISTRY_FILES =
  /(?:^|\/)(?:\.npmrc|\.yarnrc(?:\.yml)?|bunfig\.toml|pip\.conf|requirements[\w-]*\.txt|Gemfile|go\.mod|\.pypirc|pyproject\.toml|Pipfile|uv\.toml)$/
const REQUIREMENTS = /(?:^|\/)requirements[\w-]*\.txt$/

/** Lines that say where packages come from, and requirements of Python. */
function sourceFacts(path: string, { added, removed }: Texts): Found[] {
  const found: Found[] = []
  if (REGISTRY_FILES.test(path)) {
    for (const { number, text } of added)
      if (REGISTRY.test(text.slice(0, 500))) found.push({ name: 'registry-changed', what: text, line: number })
  }
  if (!REQUIREMENTS.test(path)) return found
  const nameIn = ({ text }: { readonly text: string }) => /^\s*([\w.-]+)/.exec(text)?.[1]?.toLowerCase() ?? ''
  const isRequirement = (line: { readonly text: string }) => nameIn(line) !== '' && !line.text.trim().startsWith('-')
  for (const { number, text } of extra(added.filter(isRequirement), removed.filter(isRequirement), nameIn)) {
    found.push({
      name: /@\s*(?:git|https?)/.test(text) ? 'dependency-source' : 'dependency-added',
      what: text,
      line: number,
    })
  }
  return found
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const entries = (value: unknown) => Object.entries(record(value))
