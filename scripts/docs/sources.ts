import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** Parses the sources for names and docstrings, without the types of libraries, which makes it fast. */

export const REPOSITORY = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

export interface Sources {
  readonly checker: ts.TypeChecker
  /** @param name relative to the repository */
  file(name: string): ts.SourceFile
}

let cached: Sources | undefined

export function loadSources(): Sources {
  cached ??= readSources()
  return cached
}

function readSources(): Sources {
  const files = ['src', 'overlay'].flatMap((folder) => ts.sys.readDirectory(join(REPOSITORY, folder), ['.ts']))
  const { NodeNext } = ts.ModuleKind
  const { NodeNext: resolution } = ts.ModuleResolutionKind
  const options = { noLib: true, noResolve: true, types: [], module: NodeNext, moduleResolution: resolution }
  const program = ts.createProgram(files, options)
  return {
    checker: program.getTypeChecker(),
    file(name) {
      const file = program.getSourceFile(join(REPOSITORY, name))
      if (!file) throw new Error(`There is no ${name}.`)
      return file
    },
  }
}

/** The path of a file, relative to the repository. */
export function nameOf(file: ts.SourceFile): string {
  return file.fileName.slice(REPOSITORY.length + 1)
}

/** Finds the declaration of a type in a file. @throws Error if there is none */
export function findDeclaration(fileName: string, name: string): ts.InterfaceDeclaration | ts.TypeAliasDeclaration {
  const text = ts.sys.readFile(join(REPOSITORY, fileName)) ?? ''
  // Parse this file only. Parsing all of them takes seconds.
  const found = ts
    .createSourceFile(join(REPOSITORY, fileName), text, ts.ScriptTarget.Latest, true)
    .statements.find(
      (each): each is ts.InterfaceDeclaration | ts.TypeAliasDeclaration =>
        (ts.isInterfaceDeclaration(each) || ts.isTypeAliasDeclaration(each)) && each.name.text === name,
    )
  if (!found) throw new Error(`${fileName} declares no ${name}.`)
  return found
}

/** A node's docstring, its lines joined. */
export function docOf(node: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).slice(-1)
  return plainDoc(doc && ts.getTextOfJSDocComment(doc.comment))
}

/** A docstring's text on one line, its links as code. */
export function plainDoc(text = ''): string {
  return text.replace(/\{@link ([\w.]+)\}/g, '`$1`').replace(/\s*\n\s*/g, ' ')
}
