import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** Data that the project does not contain. A variable names its directory. */
const PLACE = process.env.ESCROWFS_FRONTIER_DATA

export interface Script {
  readonly name: string
  /** The program and its arguments. */
  readonly argv: readonly string[]
  readonly code: string
}

/** The harmful scripts of RedCode-Exec (CC BY 4.0); undefined without them. */
export function redCode(): Script[] | undefined {
  const file = PLACE === undefined ? undefined : `${PLACE}/redcode-exec.jsonl.gz`
  if (file === undefined || !existsSync(file)) return undefined
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n')
  return lines.map((line) => {
    const { index, language, code } = JSON.parse(line) as Record<'index' | 'language' | 'code', string>
    return { name: `${index} ${language}`, argv: runnerOf(language, code), code }
  })
}

function runnerOf(language: string, code: string): string[] {
  return language.toLowerCase() === 'python' ? ['/usr/bin/python3', '-c', code] : ['/bin/bash', '-c', code]
}

/** The transcripts' text; undefined without them. */
export function transcripts(): string | undefined {
  const file = PLACE === undefined ? undefined : `${PLACE}/claude-code-transcripts.jsonl.gz`
  return file === undefined || !existsSync(file) ? undefined : gunzipSync(readFileSync(file)).toString('utf8')
}
