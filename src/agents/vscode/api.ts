/** The parts of the `vscode` module that are used here. It is handed in: nothing of it is needed otherwise. */

export interface UriLike {
  readonly path: string
  readonly query: string
}

/** What is used of the module `vscode`. */
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

/** What shows a document that no file is behind. */
export interface ContentProvider<Uri> {
  provideTextDocumentContent(uri: Uri): Promise<string>
}
