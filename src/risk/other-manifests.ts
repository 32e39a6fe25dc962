import type { Texts } from './changed.js'
import type { Found } from './facts.js'
import { nameOf } from './paths.js'

/**
 * New dependencies in manifests that are not JSON, by the form of their lines. The file is not parsed as its package manager would, so a
 * list that is built by code is missed.
 */
export function otherManifestFacts(path: string, { before, after, added }: Texts): Found[] {
  const name = nameOf(path)
  const read = READERS.find(({ files }) => files.test(name))?.read
  if (read === undefined) return []
  const old = new Map(read(before).map((each) => [each.name, each.source]))
  const changed = read(after).filter(({ name, source }) => old.get(name) !== source)
  const isElsewhere = ({ source }: Dependency) => ELSEWHERE.test(source)
  // A list of thousands is cut. Dependencies from outside the registry are kept first.
  const limited = [...changed.filter(isElsewhere), ...changed.filter((each) => !isElsewhere(each))].slice(0, KEPT)
  return limited.map((each): Found => {
    const what = `${each.name} ${each.source}`.trim()
    const line = added.find(({ text }) => text.includes(each.name))?.number
    if (isElsewhere(each)) return { name: 'dependency-source', what, line }
    return { name: old.has(each.name) ? 'dependency-changed' : 'dependency-added', what, line }
  })
}

/** The most dependencies of one manifest that become facts. A reader sees fewer. */
const KEPT = 50

interface Dependency {
  readonly name: string
  /** A version, or another place. */
  readonly source: string
}

/** A place other than the registry. */
const ELSEWHERE =
  /(?:^|[\s{,'"(])(?:git|path|url|github|svn|hg)["']?\s*(?:=>|[:=])|@\s*(?:git|https?|file)[+:]|^(?:git|https?|file):/i

const READERS: readonly { readonly files: RegExp; readonly read: (text: string) => Dependency[] }[] = [
  { files: /^go\.mod$/, read: byLine(/^\s*(?:require\s+)?([\w-]+\.[\w.-]+\/[^\s"]+)\s+(v\d\S*)/) },
  {
    files: /^Gemfile$|\.gemspec$/,
    read: byLine(/^\s*(?:gem|\w+\.add_(?:\w+_)?dependency)[\s(]+["']([\w.-]+)["'],?(.*)/),
  },
  {
    files: /\.(?:cs|fs|vb)proj$|^Directory\.Packages\.props$/i,
    read: byLine(/<Package(?:Reference|Version)\s+(?:Include|Update)="([^"]+)"(.*)/),
  },
  {
    files: /^build\.gradle(?:\.kts)?$/,
    read: byLine(
      /^\s*(?:\w*(?:[iI]mplementation|[aA]pi|[oO]nly|[cC]lasspath|[pP]rocessor)|kapt|ksp)[\s(]+["']([\w.-]+:[\w.-]+):?([^"']*)/,
    ),
  },
  { files: /^Cargo\.toml$/, read: (text) => tables(text, /(?:^|\.)(?:dev-|build-)?dependencies$/) },
  { files: /^Pipfile$/, read: (text) => tables(text, /^(?:dev-)?packages$/) },
  { files: /^pyproject\.toml$/, read: pyproject },
  { files: /^pom\.xml$/, read: maven },
]

/** Characters of a line that are read. */
const LINE = 500

function linesOf(text: string): string[] {
  return text.split('\n').map((line) => line.slice(0, LINE).trimEnd())
}

/** @param form with the name and the source as its groups */
function byLine(form: RegExp): (text: string) => Dependency[] {
  return (text) =>
    linesOf(text).flatMap((line) => {
      const [, name, source = ''] = form.exec(line) ?? []
      return name === undefined ? [] : [{ name, source: source.trim() }]
    })
}

/** The keys of TOML tables, and the tables below them: `[dependencies.serde]`. */
function tables(text: string, wanted: RegExp): Dependency[] {
  const found = new Map<string, string>()
  let table = ''
  for (const line of linesOf(text)) {
    table = /^\s*\[{1,2}([^\]]+)\]/.exec(line)?.[1]?.replace(/["'\s]/g, '') ?? table
    const [, key, value = ''] = /^\s*["']?([\w.-]+)["']?\s*=\s*(.*)/.exec(line) ?? []
    if (key === undefined) continue
    const [, above = '', last = ''] = /^(.*)\.([^.]+)$/.exec(table) ?? []
    if (wanted.test(table)) found.set(key, value)
    else if (wanted.test(above)) found.set(last, `${found.get(last) ?? ''} ${key} = ${value}`.trim())
  }
  return [...found].map(([name, source]) => ({ name, source }))
}

const POETRY = /^tool\.poetry(?:\.group\.[\w-]+)?\.(?:dev-)?dependencies$|^tool\.uv\.sources$/
const REQUIREMENT = /["']\s*([A-Za-z][\w.-]*)(?:\[[^\]]*\])?([^"']*)["']/g

/** The lists of PEP 621, PEP 735 and the build system, and the tables of Poetry and uv. */
function pyproject(text: string): Dependency[] {
  const found = tables(text, POETRY)
  let table = ''
  let isList = false
  for (const line of linesOf(text)) {
    const head = /^\[{1,2}([^\]]+)\]\s*(?:#.*)?$/.exec(line)?.[1]
    if (head !== undefined) [table, isList] = [head.trim(), false]
    const key = /^\s*["']?([\w.-]+)["']?\s*=\s*\[/.exec(line)?.[1]
    if (key !== undefined)
      isList =
        (table === 'project' && key === 'dependencies') ||
        (table === 'build-system' && key === 'requires') ||
        /^(?:project\.optional-dependencies|dependency-groups)$/.test(table)
    if (!isList) continue
    const list = key === undefined ? line : line.slice(line.indexOf('['))
    for (const [, name = '', source = ''] of list.matchAll(REQUIREMENT)) found.push({ name, source: source.trim() })
    if (/\]\s*(?:#.*)?$/.test(line)) isList = false
  }
  return found
}

const COORDINATES =
  /<groupId>([^<]{1,200})<\/groupId>\s{0,200}<artifactId>([^<]{1,200})<\/artifactId>(?:\s{0,200}<version>([^<]{1,200})<\/version>)?/g

function maven(text: string): Dependency[] {
  return [...text.matchAll(COORDINATES)].map(([, group = '', artifact = '', version = '']) => {
    return { name: `${group.trim()}:${artifact.trim()}`, source: version.trim() }
  })
}
