import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** The sources as the compiler's front end sees them: names and docstrings, no types of libraries. Quick to make. */

export const REPOSITORY = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

export interface Sources {
  readonly checker: ts.TypeChecker
  /** @param name relative to the repository */
  file(name: string): ts.SourceFile
}

let made: Sources | undefined

export function sources(): Sources {
  made ??= readSources()
  return made
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

/** A file's name, relative to the repository. */
export function nameOf(file: ts.SourceFile): string {
  return file.fileName.slice(REPOSITORY.length + 1)
}

/** The declaration of a name in a file. */
export function declared(fileName: string, name: string): ts.InterfaceDeclaration | ts.TypeAliasDeclaration {
  const text = ts.sys.readFile(join(REPOSITORY, fileName)) ?? ''
  // One file is read alone: all of them take the compiler seconds.
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
