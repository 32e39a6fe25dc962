import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const REPOSITORY = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/** A row of a table in the source. */
export interface SourceRow {
  readonly name: string
  /** The offset of the row's name. `end` is after its comma. */
  readonly start: number
  readonly end: number
  readonly value: string
}

/** The rows of `export const <table> = { … } satisfies …`. */
export function rowsIn(file: string, table: string): { text: string; rows: SourceRow[] } {
  const text = readFileSync(`${REPOSITORY}/${file}`, 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const literal = tableOf(source, table)
  const rows = literal.properties.filter(ts.isPropertyAssignment).map((row) => ({
    name: row.name.getText(source),
    start: row.getStart(source),
    end: row.end + 1,
    value: row.initializer.getText(source),
  }))
  return { text, rows }
}

function tableOf(source: ts.SourceFile, table: string): ts.ObjectLiteralExpression {
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue
    const [declaration] = statement.declarationList.declarations
    const value = declaration?.initializer
    if (declaration?.name.getText(source) !== table || !value || !ts.isSatisfiesExpression(value)) continue
    if (ts.isObjectLiteralExpression(value.expression)) return value.expression
  }
  throw new Error(`${source.fileName} has no table ${table}`)
}

/** Replaces a row by another text. An empty text removes it. */
export function withRow(text: string, row: SourceRow, replacement: string): string {
  return text.slice(0, row.start) + replacement + text.slice(row.end)
}

/** A cache of parsed libraries and unchanged files, shared by all programs. */
const parsed = new Map<string, ts.SourceFile | undefined>()

/**
 * The type errors of each text as a replacement of its file. All are checked in one program, each as a
 * neighbour of the original file.
 */
export function typeErrors(file: string, texts: readonly string[]): string[][] {
  const config = ts.readConfigFile(`${REPOSITORY}/tsconfig.json`, ts.sys.readFile)
  const options = {
    ...ts.convertCompilerOptionsFromJson(config.config.compilerOptions, REPOSITORY).options,
    noEmit: true,
  }
  const virtual = new Map(texts.map((text, i) => [`${REPOSITORY}/${file.replace(/\.ts$/, `.mutant${i}.ts`)}`, text]))
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists, readFile } = host
  host.getSourceFile = (name, how, ...rest) => {
    const text = virtual.get(name)
    if (text !== undefined) return ts.createSourceFile(name, text, how)
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, how, ...rest))
    return parsed.get(name)
  }
  host.fileExists = (name) => virtual.has(name) || fileExists(name)
  host.readFile = (name) => virtual.get(name) ?? readFile(name)
  const program = ts.createProgram([...virtual.keys()], options, host)
  return [...virtual.keys()].map((name) =>
    program
      .getSemanticDiagnostics(program.getSourceFile(name))
      .filter((each) => each.category === ts.DiagnosticCategory.Error)
      .map((each) => ts.flattenDiagnosticMessageText(each.messageText, '\n')),
  )
}
