import { basename } from 'node:path'
import type { IntentTemplate } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { globProblem } from '../core/globs.js'
import { TRUST_HINT } from '../core/intents-state.js'
import { type Layout, SharedFile } from '../core/layout.js'
import { openAccepted } from '../os/accepted-files.js'
import { cachedFile } from '../os/cached-file.js'
import { listShared } from '../os/shared-files.js'
import { readYaml, type YamlFile } from '../os/yaml.js'
import { MAX_YAML_BYTES, type YamlProblem } from '../os/yaml-problem.js'
import { checkYaml } from '../os/yaml-schema.js'
import { checksOf, sentencesOf } from './criteria.js'
import { fileSchema } from './template-schema.js'

/** More files than this are an error. */
const MAX_TEMPLATES = 200

/** Templates for ordinary work. Most have no scope, because only a person knows where the work happens. */
export const BUILT_IN: readonly IntentTemplate[] = [
  template('bug-fix', 'fix one bug, and prove it with a test', {
    constraints: ['Change no more than the bug needs', 'Keep all other public behaviour'],
    acceptanceCriteria: ['A test that failed before the fix passes now', 'All other tests pass as before'],
  }),
  template('refactor', 'change the structure, not the behaviour', {
    constraints: ['No change of behaviour', 'No change of public names'],
    acceptanceCriteria: ['The tests pass, and none of them was changed'],
  }),
  template('feature', 'something new that a user can notice', {
    constraints: ['Follow the conventions of the code around it'],
    acceptanceCriteria: ['Tests show how it works and how it fails', 'It is documented where users look for it'],
  }),
  template('docs', 'text only', {
    ownedScope: ['docs/**', '**/*.md'],
    constraints: ['No change of code'],
    acceptanceCriteria: ['Each example was run as written'],
  }),
  template('tests', 'tests for existing code', {
    ownedScope: ['test/**', 'tests/**', '**/*.{test,spec}.*'],
    constraints: ['No change of the code under test'],
    acceptanceCriteria: ['Each new test fails when the code is broken'],
  }),
]

type Lists = Partial<Pick<IntentTemplate, 'ownedScope' | 'constraints' | 'acceptanceCriteria' | 'checks'>>

function template(name: string, summary: string, lists: Lists): IntentTemplate {
  const none = { ownedScope: [], constraints: [], acceptanceCriteria: [], checks: [] }
  return { name, summary, source: 'built-in', ...none, ...lists }
}

/**
 * Lists a workspace's own accepted templates by name, then the built-in ones without an equal name.
 * @throws EscrowError `policy_invalid` for an invalid file; the message has the line.
 */
export function templatesOf(layout: Layout): IntentTemplate[] {
  const accepted = openAccepted(layout)().texts
  const workspaceTemplates = templateNames(layout.templates).flatMap((name) => {
    const file = templateFile(layout, name)
    return isAccepted(file, accepted) ? [readTemplate(file)] : []
  })
  const names = new Set(workspaceTemplates.map(({ name }) => name))
  return [...workspaceTemplates, ...BUILT_IN.filter(({ name }) => !names.has(name))]
}

function templateNames(dir: SharedFile): string[] {
  const names = listShared(dir).filter((name) => /^[^.].*\.ya?ml$/.test(name))
  if (names.length <= MAX_TEMPLATES) return names.sort()
  throw new EscrowError('policy_invalid', `${dir} holds more than ${MAX_TEMPLATES} templates. Remove some.`)
}

/** The files of a workspace's own templates. */
export function templateFiles(layout: Layout): SharedFile[] {
  return templateNames(layout.templates).map((name) => templateFile(layout, name))
}

function templateFile({ templates }: Layout, name: string): SharedFile {
  return new SharedFile(templates.root, `${templates.name}/${name}`)
}

function isAccepted(file: SharedFile, accepted: ReadonlyMap<string, string>): boolean {
  const read = cachedFile(file, MAX_YAML_BYTES, (bytes) => bytes)()
  // The caller that reads an unreadable file reports it.
  return read.kind !== 'bytes' || accepted.get(file.name) === read.bytes.toString()
}

/** @throws EscrowError `not_trusted` for a template of the workspace that nobody has accepted on this machine. */
export function assertAcceptedTemplate(layout: Layout, requested: string | undefined): void {
  const file = templateFiles(layout).find(({ name }) => templateName(name) === requested)
  if (file === undefined || isAccepted(file, openAccepted(layout)().texts)) return
  throw new EscrowError('not_trusted', `No person has accepted the template ${file.name} on this machine.`, {
    hint: TRUST_HINT,
  })
}

function templateName(fileName: string): string {
  return basename(fileName).replace(/\.ya?ml$/, '')
}

function readTemplate(template: SharedFile): IntentTemplate {
  const source = template.name
  const file = cachedFile(template, MAX_YAML_BYTES, (bytes) => bytes)()
  if (file.kind !== 'bytes') throw invalid(source, { line: 1, column: 1, message: readProblem(file) })
  const yaml = readYaml(file.bytes)
  if (!yaml.ok) throw invalid(source, yaml.problem)
  const read = checkYaml(yaml.file, yaml.file.value, fileSchema)
  if (!read.ok) throw invalid(source, read.problem)
  const { summary, owned_scope, constraints, acceptance_criteria } = read.value
  const problem = scopeProblem(yaml.file, owned_scope ?? [])
  if (problem) throw invalid(source, problem)
  return {
    name: templateName(template.name),
    summary: summary ?? '',
    source,
    ownedScope: owned_scope ?? [],
    constraints: constraints ?? [],
    acceptanceCriteria: sentencesOf(acceptance_criteria),
    checks: checksOf(acceptance_criteria),
  }
}

function readProblem(file: { readonly kind: 'absent' } | { readonly kind: 'unreadable'; readonly message: string }) {
  return file.kind === 'absent' ? 'the file is gone' : file.message
}

function scopeProblem(file: YamlFile, globs: readonly string[]): YamlProblem | undefined {
  for (const [index, glob] of globs.entries()) {
    const problem = globProblem(glob)
    if (problem)
      return file.problem(['owned_scope', index], `the glob ${JSON.stringify(glob.slice(0, 80))}: ${problem}`)
  }
  return undefined
}

function invalid(file: string, { line, column, message }: YamlProblem): EscrowError {
  return new EscrowError('policy_invalid', `Template Invalid: ${file}, line ${line}, column ${column}: ${message}.`, {
    hint: 'Correct the file, or remove it.',
  })
}
