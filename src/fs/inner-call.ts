/** A failure of a call inside an op (cp's lstat): the error names that call and its paths, not the op's. */
export class InnerFailure extends Error {
  constructor(
    readonly failure: unknown,
    readonly syscall: string,
    readonly paths: readonly string[],
  ) {
    super(syscall)
  }
}

/** Runs a call within an op. */
export function innerCall<T>(syscall: string, paths: readonly string[], run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw error instanceof InnerFailure ? error : new InnerFailure(error, syscall, paths)
  }
}
