import type { z } from 'zod'
import type { YamlFile, YamlPath } from './yaml.js'
import type { YamlProblem } from './yaml-problem.js'

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: YamlProblem }

/** Checks a part of a YAML file against a schema. The first problem names its line, column and key. */
export function checkYaml<T>(file: YamlFile, value: unknown, schema: z.ZodType<T>, at: YamlPath = []): Checked<T> {
  const result = schema.safeParse(value)
  if (result.success) return { ok: true, value: result.data }
  const issue = result.error.issues[0]
  if (!issue) return { ok: false, problem: file.problem(at, 'not what is expected here') }
  const inner = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? ''
    const message = `unknown key \`${[...at, ...inner, key].join('.')}\`; correct its spelling or remove it`
    return { ok: false, problem: file.problem([...at, ...inner, key], message) }
  }
  const path = [...at, ...inner]
  const where = path.length === 0 ? '' : `\`${path.join('.')}\`: `
  return { ok: false, problem: file.problem(path, `${where}${lowerFirst(issue.message)}`) }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
