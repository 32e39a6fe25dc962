/** A failure of a call that an op makes on its way (cp's lstat): told by that call's name and paths, not by the op's. */
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
