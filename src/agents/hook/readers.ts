import { defined } from '../../core/defined.js'
import { type ToolClass, toolCatalogue } from '../../hooks/index.js'
import { placesOf } from './deps.js'
import type { HostCall } from './ruling.js'

/** Arguments of a call, as a client tells them. */
export type ToolInput = Readonly<Record<string, unknown>>
export type ReadCall = Omit<HostCall, 'tool' | 'id'>
/** What a call does, by its arguments. */
export type Reader = (input: ToolInput, cwd: string) => ReadCall

const PATCHES = toolCatalogue().of('apply_patch')

/** It shows or changes no file of the workspace by itself. */
export const harmless: Reader = () => ({ class: 'read' })
export const readQuestion: Reader = () => ({ class: 'question' })

/** Puts the files that arguments of these names say. */
export const editor =
  (...names: readonly string[]): Reader =>
  (input, cwd) => ({
    class: 'write',
    writes: valuesOf(input, names).flatMap((each) =>
      placesOf(each, cwd).map((path) => ({ path, effect: 'put' as const })),
    ),
  })

/** Every path of the patch, as the patch names it. */
export const patcher =
  (...names: readonly string[]): Reader =>
  (input, cwd) => ({
    class: 'write',
    writes: valuesOf(input, names)
      .flatMap((patch) => PATCHES.writes({ patch }))
      .flatMap(({ path, effect }) => placesOf(path, cwd).map((each) => ({ path: each, effect }))),
  })

export const reader =
  (...names: readonly string[]): Reader =>
  (input, cwd) => ({ class: 'read', reads: valuesOf(input, names).flatMap((each) => placesOf(each, cwd)) })

/** Shows names alone. */
export const lister =
  (...names: readonly string[]): Reader =>
  (input, cwd) => ({ class: 'read', reads: orHere(valuesOf(input, names)).flatMap((each) => placesOf(each, cwd)) })

/** Shows what files hold. */
export const searcher =
  (...names: readonly string[]): Reader =>
  (input, cwd) => ({ class: 'read', searches: orHere(valuesOf(input, names)).flatMap((each) => placesOf(each, cwd)) })

export const terminal: Reader = ({ command }) => ({
  class: 'terminal',
  ...(typeof command === 'string' && { command }),
})

/** A call of a tool by a client's table; what is not in it may do anything. */
export function callBy(
  tools: Readonly<Record<string, Reader>>,
  call: { readonly tool: string; readonly input: ToolInput; readonly cwd: string; readonly id?: string | undefined },
  isOurs: boolean,
): HostCall {
  const { tool, input, cwd, id } = call
  const unknown: ToolClass | 'ours' = isOurs ? 'ours' : 'unknown'
  const read = Object.hasOwn(tools, tool) ? tools[tool] : undefined
  return {
    tool,
    ...(read?.(input, cwd) ?? { class: unknown }),
    ...defined({ id }),
    ...(typeof input.mutation_class === 'string' && { declaresClass: true }),
  }
}

/** One value or a list of them. */
function valuesOf(input: ToolInput, names: readonly string[]): unknown[] {
  return names.flatMap((name): unknown[] => (Array.isArray(input[name]) ? input[name] : [input[name]]))
}

function orHere(paths: readonly unknown[]): readonly unknown[] {
  return paths.some((path) => typeof path === 'string' && path !== '') ? paths : ['.']
}
