/** The parts of the `vscode` module that are used here. The extension passes the module in. */

export interface UriLike {
  readonly path: string
  readonly query: string
}

/** The used part of the module `vscode`. */
export interface VscodeLike<Uri extends UriLike> {
  readonly Uri: {
    file(path: string): Uri
    from(parts: { readonly scheme: string; readonly path: string; readonly query: string }): Uri
  }
  readonly workspace: {
    registerTextDocumentContentProvider(scheme: string, provider: ContentProvider<Uri>): { dispose(): unknown }
  }
  readonly commands: {
    executeCommand(command: string, ...rest: unknown[]): PromiseLike<unknown>
  }
  readonly window: {
    showWarningMessage(
      message: string,
      options: { modal: boolean; detail?: string },
      ...items: string[]
    ): PromiseLike<string | undefined>
    showInputBox(options: { prompt: string; ignoreFocusOut: boolean }): PromiseLike<string | undefined>
  }
}

/** Provides documents that have no file. */
export interface ContentProvider<Uri> {
  provideTextDocumentContent(uri: Uri): Promise<string>
}
