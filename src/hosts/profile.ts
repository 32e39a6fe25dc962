/** A host that keeps its state in a home directory, and asks `escrow hook` about its tool calls. */
export type HomeHost = 'claude' | 'codex' | 'gemini' | 'opencode' | 'cline'
/** A host that `escrow init` can enter escrow into. */
export type HostName = HomeHost | 'roo' | 'mcp'

/** What escrowfs knows of one host: a program that runs agents. Data alone, so that any room can go by it. */
export interface HostProfile {
  /** What `escrow init` enters for it, as its help and its questions say. */
  readonly label: string
  /** Files and directories of a workspace, relative to its root, by which `escrow init` and `doctor` see that the host is used there. */
  readonly presence: readonly string[]
  /** How `escrow doctor` describes it once escrow is entered: what governs it, and what happens where that fails. */
  readonly governed: { readonly how: string; readonly failing: string }
  /** Names in a workspace that configure or instruct it. An agent may write them only where its scope spells them out. Lower case. */
  readonly protectedNames: { readonly configures: readonly string[]; readonly instructs: readonly string[] }
  /** Paths in a workspace, relative to its root, that contained commands cannot change: the entries that make the host ask us are there. */
  readonly closedToCommands: readonly string[]
  /** Settings in a workspace that the host obeys, whoever wrote them; `escrow doctor` lists what they would run. */
  readonly obeys: HostSettings
  /** What it keeps in a person's home directory. Undefined where it runs inside of an editor, or is no single program. */
  readonly home?: HostHome
  /** It asks `escrow hook NAME` about its tool calls. */
  readonly hook?: HostHook
}

/** Files of a workspace, by how they are read. */
export interface HostSettings {
  /** JSON, with or without comments. */
  readonly json?: readonly string[]
  readonly toml?: readonly string[]
  /** Directories in which each file is a program. */
  readonly programs?: readonly string[]
  /** Directories of texts for a model, with settings at their head. */
  readonly texts?: readonly string[]
}

/** Paths relative to a person's home directory. */
export interface HostHome {
  /** Names of the programs that are this host. */
  readonly programs: readonly string[]
  /** Directories it writes to: in a session it may. */
  readonly state: readonly string[]
  /** Files with a login or tokens: secrets to every other program. */
  readonly logins: readonly string[]
  /** Files and directories in `state` that say what it runs or allows; they stay as they are. A name with an ending is a file. */
  readonly settings: readonly string[]
  /** A variable that puts the first directory of `state` elsewhere. */
  readonly variable?: string
  /** A file next to `state` which the host keeps within it where {@link variable} is set. */
  readonly copiedInto?: readonly [from: string, to: string]
}

/** The service a host's model runs at. */
export interface HostProvider {
  /** Variables with a login: given to the host by `escrow start`, where they are set. */
  readonly logins: readonly string[]
  /** Variables with the address of another service of the same kind. */
  readonly addresses: readonly string[]
  /** What it must reach to work: its model, its login, and what it cannot start without. */
  readonly hosts: readonly string[]
  /** The npm package that installs it. */
  readonly installs: string
}

/** How `escrow doctor` asks the hook about a tool that changes nothing. */
export interface HostHook {
  /** The event for a workspace, as the host would write it to the hook's stdin. */
  readonly probe: (root: string) => object
  /** A program in the workspace that the host starts. Undefined: it starts the command that `escrow init` entered by a shell. */
  readonly program?: string
  /** It starts `escrow hook NAME` by itself, without a shell. */
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
