import { defined } from '../../core/defined.js'
import { type ToolClass, toolCatalogue } from '../../hooks/index.js'
import { candidatePaths } from './deps.js'
import type { HostCall } from './ruling.js'

/** The arguments of a call, as the client sends them. */
export type ToolInput = Readonly<Record<string, unknown>>
export type ReadCall = Omit<HostCall, 'tool' | 'id'>
/** Describes a call by its arguments. */
export type ArgumentReader = (input: ToolInput, cwd: string) => ReadCall

const PATCHES = toolCatalogue().of('apply_patch')

/** A tool that shows and changes no file of the workspace. */
export const harmless: ArgumentReader = () => ({ class: 'read' })
export const readQuestion: ArgumentReader = () => ({ class: 'question' })

/** A tool that writes the files in these arguments. */
export const editor =
  (...names: readonly string[]): ArgumentReader =>
  (input, cwd) => ({
    class: 'write',
    writes: valuesOf(input, names).flatMap((each) =>
      candidatePaths(each, cwd).map((path) => ({ path, effect: 'put' as const })),
    ),
  })

/** A tool that applies the patches in these arguments: writes every path, as the patch spells it. */
export const patcher =
  (...names: readonly string[]): ArgumentReader =>
  (input, cwd) => ({
    class: 'write',
    writes: valuesOf(input, names)
      .flatMap((patch) => PATCHES.writes({ patch }))
      .flatMap(({ path, effect }) => candidatePaths(path, cwd).map((each) => ({ path: each, effect }))),
  })

export const reader =
  (...names: readonly string[]): ArgumentReader =>
  (input, cwd) => ({ class: 'read', reads: valuesOf(input, names).flatMap((each) => candidatePaths(each, cwd)) })

/** A tool that shows only file names. */
export const lister =
  (...names: readonly string[]): ArgumentReader =>
  (input, cwd) => ({
    class: 'read',
    reads: orWorkingDirectory(valuesOf(input, names)).flatMap((each) => candidatePaths(each, cwd)),
  })

/** A tool that shows file contents. */
export const searcher =
  (...names: readonly string[]): ArgumentReader =>
  (input, cwd) => ({
    class: 'read',
    searches: orWorkingDirectory(valuesOf(input, names)).flatMap((each) => candidatePaths(each, cwd)),
  })

export const terminal: ArgumentReader = ({ command }) => ({
  class: 'terminal',
  ...(typeof command === 'string' && { command }),
})

/** Describes a call by a client's table of tools. An unlisted tool may do anything. */
export function readCall(
  tools: Readonly<Record<string, ArgumentReader>>,
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

/** The values of arguments that hold one value or a list. */
function valuesOf(input: ToolInput, names: readonly string[]): unknown[] {
  return names.flatMap((name): unknown[] => (Array.isArray(input[name]) ? input[name] : [input[name]]))
}

function orWorkingDirectory(paths: readonly unknown[]): readonly unknown[] {
  return paths.some((path) => typeof path === 'string' && path !== '') ? paths : ['.']
}
