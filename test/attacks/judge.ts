import fs from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { differing, forged, type Picture, picture, type World } from './world.js'

/** What must not have come about, judged by the tree alone, by rules written for this table and nothing else. */

/** Out of what INT-001 may write, and never an agent's, whatever the scope. */
const CLOSED = /^ws\/src\/(hidden|ghost|locked|private|frozen|legacy)(\/|$)/
const NEVER =
  /^(\.git|git~\d+|\.orchestration|orches~\d+|\.intentignore|\.vscode|\.idea|.*\.code-workspace|\.claude|\.cursor|\.roo|\.cline|\.mcp\.json|agents\.md|claude\.md|\.(cline|roo)rules.*|\.cursorrules|\.husky|\.devcontainer|\.envrc|\.npmrc|\.bashrc|\.profile|\.zprofile|\.gitmodules|\.gitconfig|\.ripgreprc)$/

/** As the most forgiving filesystem reads a name: no case, no width, nothing invisible, no stream, no trailing dots. */
function forgiving(segment: string): string {
  const seen = segment.replace(/[\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u00ad]/g, '').normalize('NFKC')
  return seen
    .toLowerCase()
    .replaceAll('\u0131', 'i')
    .replace(/:.*$/, '')
    .replace(/[. ]+$/, '')
}

/** The short names that NTFS gives to some of them. */
const SHORT =
  /^(git|orches|intent|vscode|idea|claude|cursor|roo|cline|mcp|husky|devcon|envrc|npmrc|bashrc|gitmod)~\d+(\.\w*)?$/

function isProtected(name: string): boolean {
  const segments = Buffer.from(name, 'latin1').toString('utf8').split(/[/\\]/).map(forgiving)
  return segments.some(
    (each, at) =>
      NEVER.test(each) ||
      SHORT.test(each) ||
      (/^(\.github|github~\d+)$/.test(each) && /^(workflows|workfl~\d+)$/.test(segments[at + 1] ?? '')),
  )
}

function isOpen(name: string): boolean {
  return name.startsWith('ws/src/') && !CLOSED.test(name) && !isProtected(name)
}

/** Where a link leads, as far as that exists. */
function leadsTo(link: string): string {
  let at = resolve(fs.realpathSync(dirname(link)), fs.readlinkSync(link))
  const rest: string[] = []
  while (!fs.existsSync(at) && at !== '/') {
    rest.unshift(basename(at))
    at = dirname(at)
  }
  return resolve(fs.realpathSync(at), ...rest)
}

function leavesWorkspace({ outer, root }: World, name: string): boolean {
  const at = `${outer}/${name}`
  if (!fs.lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) return false
  const place = leadsTo(at)
  return (place !== root && !place.startsWith(`${root}/`)) || isProtected(place.slice(root.length + 1))
}

const isPersons = ({ outer, person }: World, name: string) =>
  person.has(name) && person.get(name) === fs.readFileSync(`${outer}/${name}`, 'utf8')

/** Before any verdict, nothing at all may have changed. */
export function early(world: World, before: Picture): string[] {
  const changed = differing(before, picture(world.outer)).filter((name) => !isPersons(world, name))
  return [...changed, ...forged(world.root)].map((name) => `before any verdict: ${name}`)
}

/** After the commit of all that was staged: what changed where nothing may. */
export function leaks(world: World, before: Picture, keeps: readonly string[] = []): string[] {
  const after = picture(world.outer)
  const changed = differing(before, after).filter((name) => !isPersons(world, name))
  const found = changed.flatMap((name) => {
    if (!isOpen(name) || keeps.includes(name)) return [`changed: ${name}`]
    if (leavesWorkspace(world, name)) return [`leads out: ${name}`]
    return (after.get(name)?.mode ?? 0) & 0o6000 & ~((before.get(name)?.mode ?? 0) & 0o6000) ? [`set-id: ${name}`] : []
  })
  for (const [name, { nlink }] of after) {
    if (!isOpen(name) && nlink > (before.get(name)?.nlink ?? nlink)) found.push(`another name: ${name}`)
  }
  return [...found, ...shown(world, changed), ...forged(world.root).map((name) => `forged: ${name}`)]
}

/** What may not be read, in a file where it may. */
function shown({ outer }: World, changed: readonly string[]): string[] {
  return changed
    .map((name) => `${outer}/${name}`)
    .filter(
      (at) =>
        fs.lstatSync(at, { throwIfNoEntry: false })?.isFile() && fs.readFileSync(at, 'utf8').includes('TOP-SECRET'),
    )
    .map((at) => `told: ${at.slice(outer.length + 1)}`)
}
