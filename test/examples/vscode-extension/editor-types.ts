/** The `vscode` classes that the extension instantiates, as far as it uses them. */

export class Uri {
  private constructor(
    readonly scheme: string,
    readonly authority: string,
    readonly path: string,
    readonly query: string,
    readonly fragment: string,
  ) {
    if (scheme === '') throw new Error('[UriError]: Scheme is missing')
    if (authority === '' && path.startsWith('//')) throw new Error('[UriError]: a path cannot begin with two slashes')
  }

  static file(path: string): Uri {
    return new Uri('file', '', path.startsWith('/') ? path : `/${path}`, '', '')
  }

  static from(parts: { scheme: string; path?: string; query?: string }): Uri {
    return new Uri(parts.scheme, '', parts.path ?? '', parts.query ?? '', '')
  }

  get fsPath(): string {
    return this.path
  }

  toString(): string {
    return `${this.scheme}:${encodeURI(this.path)}?${encodeURIComponent(this.query)}`
  }
}

export class Disposable {
  constructor(private readonly end: () => unknown) {}

  static from(...all: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const each of all) each.dispose()
    })
  }

  dispose(): unknown {
    return this.end()
  }
}

export class EventEmitter<T> {
  readonly #listeners = new Set<(event: T) => unknown>()

  readonly event = (listener: (event: T) => unknown): Disposable => {
    this.#listeners.add(listener)
    return new Disposable(() => this.#listeners.delete(listener))
  }

  /** As in the editor, a listener that throws does not affect others. */
  fire(event: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event)
      } catch {}
    }
  }

  dispose(): void {
    this.#listeners.clear()
  }
}

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {
    if (line < 0 || character < 0) throw new Error('illegal argument')
  }
}

export class Range {
  readonly start: Position
  readonly end: Position
  constructor(line: number, character: number, endLine: number, endCharacter: number) {
    this.start = new Position(line, character)
    this.end = new Position(endLine, endCharacter)
  }
}

export interface Command {
  readonly command: string
  readonly title: string
  readonly arguments?: unknown[]
}

export class CodeLens {
  constructor(
    readonly range: Range,
    readonly command: Command,
  ) {}
}

export class ThemeIcon {
  constructor(readonly id: string) {}
}

export class TreeItem {
  id?: string
  description?: string
  tooltip?: string
  contextValue?: string
  command?: Command
  iconPath?: ThemeIcon
  constructor(
    readonly label: string,
    readonly collapsibleState: number,
  ) {}
}
