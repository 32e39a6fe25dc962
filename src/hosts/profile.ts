/** A host that keeps its state in a home directory, and asks `escrow hook` about its tool calls. */
export type HomeHost = 'claude' | 'codex' | 'gemini' | 'opencode' | 'cline'
/** A host whose settings `escrow init` can add escrow to. */
export type HostName = HomeHost | 'roo' | 'mcp'

/** The data of one host: a program that runs agents. It has no code, so that any room can use it. */
export interface HostProfile {
  /** Describes what `escrow init` adds for it, for help and questions. */
  readonly label: string
  /** Files and directories, relative to a workspace's root, that show `escrow init` and `doctor` that the host is used there. */
  readonly presence: readonly string[]
  /** How `escrow doctor` describes it with escrow's entries: what governs it, and what happens if that fails. */
  readonly governed: { readonly how: string; readonly onFailure: string }
  /** Names in a workspace that configure or instruct it. An agent may write them only where its scope spells them out. Lower case. */
  readonly protectedNames: { readonly configures: readonly string[]; readonly instructs: readonly string[] }
  /** Paths, relative to a workspace's root, that contained commands cannot change: they contain the entries of escrow. */
  readonly closedToCommands: readonly string[]
  /** Settings in a workspace that the host applies, whoever wrote them; `escrow doctor` lists what they would run. */
  readonly workspaceSettings: HostSettings
  /** Its paths in a person's home directory. Undefined for a host that runs in an editor, or is not a single program. */
  readonly home?: HostHome
  /** Present if it asks `escrow hook NAME` about its tool calls. */
  readonly hook?: HostHook
}

/** Files of a workspace, by their format. */
export interface HostSettings {
  /** JSON, with or without comments. */
  readonly json?: readonly string[]
  readonly toml?: readonly string[]
  /** Directories in which each file is a program. */
  readonly programs?: readonly string[]
  /** Directories of texts for a model, with settings in their front matter. */
  readonly texts?: readonly string[]
}

/** Paths relative to a person's home directory. */
export interface HostHome {
  /** Names of the host's programs. */
  readonly programs: readonly string[]
  /** The npm packages of adapters that start it. Its own package is {@link HostProvider.npmPackage}. */
  readonly adapterPackages?: readonly string[]
  /** Directories that it may write in a session. */
  readonly state: readonly string[]
  /** Files with a login or tokens: secrets to every other program. */
  readonly logins: readonly string[]
  /** Files and directories in `state` that determine what it runs or allows; they cannot be changed. A name with an extension is a file. */
  readonly settings: readonly string[]
  /** A variable that overrides the first directory of `state`. */
  readonly variable?: string
  /** A file next to `state` that the host keeps within it if {@link variable} is set. */
  readonly copiedInto?: readonly [from: string, to: string]
}

/** The service that runs a host's model. */
export interface HostProvider {
  /** Variables with a login: `escrow start` passes them to the host if they are set. */
  readonly logins: readonly string[]
  /** Variables with the address of another service of the same kind. */
  readonly addresses: readonly string[]
  /** Hosts that it must reach: for its model, its login, and its start. */
  readonly hosts: readonly string[]
  /** The npm package that installs it. */
  readonly npmPackage: string
}

/** How `escrow doctor` asks the hook about a tool that changes nothing. */
export interface HostHook {
  /** The event for a workspace, as the host would write it to the hook's stdin. */
  readonly probe: (root: string) => object
  /** A program in the workspace that the host starts. Undefined: it runs the command of escrow's entry in a shell. */
  readonly program?: string
  /** It starts `escrow hook NAME` itself, without a shell. */
  readonly startsDirectly?: true
}

/** The event that several hosts write before a tool runs. */
export function toolEvent(hook_event_name: string, tool_name: string): HostHook['probe'] {
  return (cwd) => ({ session_id: 'escrow-doctor', cwd, hook_event_name, tool_name, tool_input: {} })
}

/** The profile of a {@link HomeHost}. */
export interface HomeHostProfile extends HostProfile {
  /** The product's name. `escrow HOST` runs it. */
  readonly title: string
  /** A command line that `escrow HOST --help` shows. */
  readonly example: string
  readonly home: HostHome
  readonly hook: HostHook
  readonly provider: HostProvider
}
