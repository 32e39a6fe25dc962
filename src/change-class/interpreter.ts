import type { Language } from './languages.js'

/** The programs that run a script of a language, by the name of its grammar. */
const ECMASCRIPT = /^(?:node|nodejs|deno|bun|tsx|ts-node|zx|npx)$/
const PROGRAMS: Readonly<Record<string, RegExp>> = {
  typescript: ECMASCRIPT,
  tsx: ECMASCRIPT,
  javascript: ECMASCRIPT,
  python: /^(?:python|pypy)[\d.]*$|^uv$/,
  go: /^go$/,
  rust: /^(?:cargo|rust-script)$/,
  java: /^(?:java|jbang)$/,
  'c-sharp': /^dotnet$/,
  ruby: /^j?ruby[\d.]*$/,
  php: /^php[\d.]*$/,
  bash: /^(?:ba|da|a|z|k|mk)?sh$/,
}

/** The program of the first line if it runs another language than the name of the file says. `#![` is an attribute of Rust. */
export function foreignInterpreter(text: string, { grammar }: Language): string | undefined {
  const line = /^#!(?!\[)([^\n]*)/.exec(text)?.[1]
  if (line === undefined) return undefined
  const words = line.trim().split(/\s+/).map(nameOf)
  const named = words[0] === 'env' ? words.slice(1).find((word) => !/^-|=/.test(word)) : words[0]
  return named !== undefined && PROGRAMS[grammar]?.test(named) === true ? undefined : (named ?? '')
}

function nameOf(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1)
}
