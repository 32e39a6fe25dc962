/** Variables of this process that one holder at a time can set. Without a holder they are unset. */
export class ExclusiveEnv {
  readonly #env: NodeJS.ProcessEnv
  readonly #before: ReadonlyMap<string, string | undefined>
  #holder: object | undefined

  constructor(env: NodeJS.ProcessEnv, names: readonly string[]) {
    this.#env = env
    this.#before = new Map(names.map((name) => [name, env[name]]))
    this.#set({})
  }

  /** Returns false if another holder has them. */
  take(holder: object, values: Readonly<Record<string, string>>): boolean {
    if (this.#holder !== undefined && this.#holder !== holder) return false
    this.#holder = holder
    this.#set(values)
    return true
  }

  get isHeld(): boolean {
    return this.#holder !== undefined
  }

  release(holder: object): void {
    if (this.#holder !== holder) return
    this.#holder = undefined
    this.#set({})
  }

  /** Restores the initial values. */
  restore(): void {
    this.#holder = undefined
    this.#set(Object.fromEntries(this.#before))
  }

  #set(values: Readonly<Record<string, string | undefined>>): void {
    for (const name of this.#before.keys()) {
      const value = values[name]
      if (value === undefined) delete this.#env[name]
      else this.#env[name] = value
    }
  }
}
